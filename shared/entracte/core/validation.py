"""Values against JSON Schemas, with errors that a model or a caller can act on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_MAX_FAULTS = 5


def faults(value: Any, schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with a value: ``(JSON Pointer, words)`` a fault, at most five; empty when nothing is."""
    found = sorted(
        _validator(json.dumps(schema, sort_keys=True)).iter_errors(value),
        key=lambda error: [str(part) for part in error.path],
    )
    return [
        ("".join(f"/{part}" for part in error.absolute_path), _words(error.message)) for error in found[:_MAX_FAULTS]
    ]


def explain(value: Any, schema: Mapping[str, Any]) -> str:
    """The faults as one sentence, or an empty string."""
    return "; ".join(f"{pointer or 'the value'}: {words}" for pointer, words in faults(value, schema))


def _words(message: str) -> str:
    return message if len(message) <= 300 else f"{message[:300]}…"


@lru_cache(maxsize=256)
def _validator(schema_text: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # a twentieth of a function's start, which many never need
    from referencing import Registry

    # By default a reference to another address is fetched, and schemas come from foreign servers.
    return Draft202012Validator(json.loads(schema_text), registry=Registry())
