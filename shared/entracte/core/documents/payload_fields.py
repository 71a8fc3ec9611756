"""Which fields of a document can hold payloads, told by their types."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from entracte.core.documents.base import Document
from entracte.core.payload import Payload


@cache
def payload_fields(kind: type[Document]) -> tuple[str, ...]:
    """Names of the fields whose type is a payload or has one in it."""
    return tuple(name for name, field in kind.model_fields.items() if _holds_payload(field.annotation))


def _holds_payload(annotation: Any) -> bool:
    if annotation is Payload:
        return True
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return any(_holds_payload(field.annotation) for field in annotation.model_fields.values())
    return any(_holds_payload(argument) for argument in get_args(annotation))
