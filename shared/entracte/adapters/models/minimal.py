"""The smallest value that satisfies a schema, for replies that nobody wrote a script for."""

from __future__ import annotations

from typing import Any

from entracte.adapters.models.dialect import Schema


def minimal(schema: Schema) -> Any:
    """A value of a reduced schema: no optional fields, empty lists and texts, the first of several choices."""
    match schema:
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"anyOf": [first, *_]}:
            return minimal(first)
        case {"type": "object"}:
            properties = schema.get("properties", {})
            return {name: minimal(properties[name]) for name in schema.get("required", [])}
        case {"type": "array", "prefixItems": list(items)}:
            return [minimal(item) for item in items]
        case {"type": "array"}:
            return [minimal(schema["items"]) for _ in range(schema.get("minItems", 0))] if "items" in schema else []
        case {"type": "string"}:
            return _TEXTS.get(schema.get("format", ""), "-" * schema.get("minLength", 0))
        case {"type": "integer"}:
            return _least(schema)
        case {"type": "number"}:
            return 0
        case {"type": "boolean"}:
            return False
        case {"type": [*types]} if "null" not in types:
            return minimal({"type": types[0]})
        case _:
            return None


_TEXTS = {
    "date": "1970-01-01",
    "time": "00:00:00Z",
    "date-time": "1970-01-01T00:00:00Z",
    "uuid": "00000000-0000-0000-0000-000000000000",
}


def _least(schema: Schema) -> int:
    """The integer nearest to nought that the bounds allow."""
    low = max((schema[key] + more for key, more in _LOWER.items() if key in schema), default=None)
    high = min((schema[key] - less for key, less in _UPPER.items() if key in schema), default=None)
    value = 0 if low is None else max(0, low)
    return value if high is None else min(value, high)


_LOWER = {"minimum": 0, "exclusiveMinimum": 1}
_UPPER = {"maximum": 0, "exclusiveMaximum": 1}
