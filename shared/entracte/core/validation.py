"""Values against JSON Schemas, with errors that a model or a caller can act on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec.json import decode, encode

from entracte.core.masking.placeholders import PLACEHOLDER

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_MAX_FAULTS = 5


def faults(value: Any, schema: Mapping[str, Any], *, masked: bool = False) -> list[tuple[str, str]]:
    """What is wrong with a value: ``(JSON Pointer, words)`` a fault, at most five; empty when nothing is.

    Args:
        masked: A placeholder in it stands for a value that fits. Whoever opens it checks again.

    Raises:
        ValueError: The schema is no JSON Schema.
    """
    validator = _validator(encode(schema, order="sorted"))
    try:
        found = sorted(validator.iter_errors(value), key=lambda error: [str(part) for part in error.instance_path])
    except ValueError as error:  # a lone surrogate, a key that is no text
        return [("", _words(f"it is not JSON: {error}"))]
    if masked:
        found = [error for error in found if not _is_placeholder(error.instance)]
    return [
        (_words("".join(f"/{part}" for part in error.instance_path)), _words(error.message))
        for error in found[:_MAX_FAULTS]
    ]


def explain(value: Any, schema: Mapping[str, Any], *, masked: bool = False) -> str:
    """The faults as one sentence, or an empty string."""
    return "; ".join(f"{pointer or 'the value'}: {words}" for pointer, words in faults(value, schema, masked=masked))


def schema_fault(schema: Mapping[str, Any]) -> str:
    """Why this is no JSON Schema, or an empty string."""
    try:
        _validator(encode(schema, order="sorted"))
    except ValueError as error:
        return getattr(error, "message", str(error))
    return ""


def _is_placeholder(value: Any) -> bool:
    return isinstance(value, str) and PLACEHOLDER.fullmatch(value) is not None


def _words(message: str) -> str:
    return message if len(message) <= 300 else f"{message[:300]}…"


@lru_cache(maxsize=256)
def _validator(schema_json: bytes) -> Validator:
    from jsonschema_rs import validator_for  # a tenth of a function's start, which many never need

    # By default a reference to another address is fetched, and schemas come from foreign servers.
    return validator_for(decode(schema_json), offline=True)
