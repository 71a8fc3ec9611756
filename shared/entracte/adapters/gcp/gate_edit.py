"""The event that Firestore sends when a gate's document was edited: a CloudEvent in binary mode.

Type ``google.cloud.firestore.document.v1.updated.withAuthContext``; attributes ``document`` (``gates/{gate}``),
``authtype`` and ``authid``; the body is a `DocumentEventData`, as it is in production, or as text in base64 from the
emulator. https://cloud.google.com/eventarc/docs/workflows/cloudevents#firestore
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from google.events.cloud.firestore import DocumentEventData
from google.protobuf.message import DecodeError

from entracte.adapters.gcp.firestore.values import decode_fields
from entracte.core.documents.gate import as_text
from entracte.core.gates.editing import Edit
from entracte.errors import TerminalError


def decode_edit(attributes: Mapping[str, Any], body: bytes) -> Edit:
    """The edit that an event tells of.

    Args:
        attributes: Of the event, by name in small letters.

    Raises:
        TerminalError: Not such an event; says what is wrong.
    """
    collection, _, gate = str(attributes.get("document", "")).partition("/")
    if collection != "gates" or not gate or "/" in gate:
        raise _refused(f"the document is {attributes.get('document')!r}")
    if not attributes.get("id"):
        raise _refused("it has no id")
    try:
        event = DocumentEventData.pb(DocumentEventData.deserialize(_binary(body)))
    except DecodeError as error:
        raise _refused(f"its body is no DocumentEventData: {error}") from None
    now, before = decode_fields(event.value.fields), decode_fields(event.old_value.fields)
    return Edit(
        id=str(attributes["id"]),
        gate=gate,
        decision_before=as_text(before.get("decision")),
        decision=as_text(now.get("decision")),
        reason=as_text(now.get("decision_reason")),
        edited_arguments=as_text(now.get("edited_arguments")),
        author_kind=str(attributes.get("authtype") or ""),
        author_id=str(attributes.get("authid") or ""),
    )


def _binary(body: bytes) -> bytes:
    """The body's bytes. A protocol buffer begins with a control character, which base64 has not."""
    try:
        return base64.b64decode(body, validate=True)
    except ValueError:
        return body


def _refused(why: str) -> TerminalError:
    return TerminalError(f"Not the edit of a gate: {why}.", code="bad_event")
