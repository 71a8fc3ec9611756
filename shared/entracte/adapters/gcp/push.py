"""What a push subscription posts to a phase: the wrapped envelope, the same from the emulator and in production.

``{"message": {"data": base64, "attributes": {…}, "messageId": …, "publishTime": …}, "subscription": …}``;
see https://cloud.google.com/pubsub/docs/push#receive_push. Only data is relied on: the emulator leaves out the
ordering key, the delivery attempt and the token that production sends. Traces travel in our message: the push request's
own header begins another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, Struct, convert
from msgspec.json import Decoder

from entracte.core.messages import Message, decode_message
from entracte.errors import TerminalError


class _Pushed(Struct):
    data: bytes


class _Envelope(Struct):
    message: _Pushed


_DECODER = Decoder(_Envelope)


def decode_push(body: bytes | Mapping[str, Any]) -> Message:
    """The message in the body of a push request, as bytes or as parsed JSON.

    Raises:
        NewerSchema: The message was written by a newer version.
        TerminalError: Not an envelope, or no message of ours in it; says what is wrong.
    """
    try:
        envelope = _DECODER.decode(body) if isinstance(body, bytes) else convert(body, _Envelope)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TerminalError(f"Not a Pub/Sub push: {error}", code="bad_push") from None
    return decode_message(envelope.message.data)
