"""A schema from what an author finds easiest to write: a pydantic model, a JSON Schema, or an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from entracte.core.validation import schema_fault
from entracte.errors import ConfigurationError

_SCHEMA_WORDS = {"type", "properties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "$defs"}


def json_schema(given: type[BaseModel] | Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """JSON Schema of an object.

    An example such as ``{"status": "COMPLETE | PARTIAL", "rows": [1]}`` gives required fields of the values' types;
    a string with ``|`` lists the allowed values.

    Raises:
        ConfigurationError: Neither of the three; `where` says whose it is.
    """
    if isinstance(given, type) and issubclass(given, BaseModel):
        return given.model_json_schema()
    if not given or not isinstance(given, Mapping):
        raise ConfigurationError(
            f"{where} is {given!r}; expected a pydantic model, a JSON Schema or an example object."
        )
    schema = dict(given) if _SCHEMA_WORDS & set(given) else _of_example(given)
    if fault := schema_fault(schema):
        raise ConfigurationError(f"{where} is no JSON Schema: {fault}.")
    return schema


def _of_example(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str() if " | " in value:
            return {"type": "string", "enum": [word.strip() for word in value.split("|")]}
        case str():
            return {"type": "string", "description": value} if value else {"type": "string"}
        case list() | tuple():
            return {"type": "array", "items": _of_example(value[0])} if value else {"type": "array"}
        case Mapping():
            properties = {name: _of_example(item) for name, item in value.items()}
            return {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            }
        case _:
            return {}
