"""Which fields of a document can hold payloads, told by their types."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_type_hints

from msgspec import Struct

from entracte.core.documents.base import Document
from entracte.core.payload import Payload


@cache
def payload_fields(kind: type[Document]) -> tuple[str, ...]:
    """Names of the fields whose type is a payload or has one in it."""
    hints = get_type_hints(kind)
    return tuple(name for name in kind.__struct_fields__ if _holds_payload(hints[name]))


def _holds_payload(annotation: Any) -> bool:
    if annotation is Payload:
        return True
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return any(map(_holds_payload, get_type_hints(annotation).values()))
    return any(map(_holds_payload, get_args(annotation)))
