"""What a push subscription posts to a phase: the wrapped envelope, the same from the emulator and in production.

``{"message": {"data": base64, "attributes": {…}, "messageId": …, "publishTime": …}, "subscription": …}``;
see https://cloud.google.com/pubsub/docs/push#receive_push. Only data and attributes are relied on: the emulator leaves
out the ordering key, the delivery attempt and the token that production sends.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ValidationError

from entracte.core.messages import Message, decode_message
from entracte.errors import TerminalError


def _decoded(data: object) -> bytes:
    if not isinstance(data, str):
        raise ValueError("should be a string of base64")
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise ValueError(f"is not base64: {error}") from None


class _Pushed(BaseModel):
    data: Annotated[bytes, BeforeValidator(_decoded)]
    attributes: dict[str, str] = {}


class _Envelope(BaseModel):
    message: _Pushed


def decode_push(body: bytes | Mapping[str, Any]) -> Message:
    """The message in the body of a push request, as bytes or as parsed JSON.

    Raises:
        NewerSchema: The message was written by a newer version.
        TerminalError: Not an envelope, or no message of ours in it; says what is wrong.
    """
    return decode_message(_opened(body).message.data)


def traceparent(body: bytes | Mapping[str, Any]) -> str:
    """Trace context that the publisher sent along (https://www.w3.org/TR/trace-context/), or an empty string.

    The header of the push request starts a trace of its own, so the context travels in our attribute.

    Raises:
        TerminalError: Not an envelope; says what is wrong.
    """
    return _opened(body).message.attributes.get("traceparent", "")


def _opened(body: bytes | Mapping[str, Any]) -> _Envelope:
    try:
        return _Envelope.model_validate_json(body) if isinstance(body, bytes) else _Envelope.model_validate(body)
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, fault['loc'])) or 'the body'}: {fault['msg']}" for fault in error.errors())
        raise TerminalError(f"Not a Pub/Sub push: {'; '.join(faults)}", code="bad_push") from None
