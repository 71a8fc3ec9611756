"""A schema as a type that a model can read: ``{"id": string, "limit"?: integer}``. Shorter than the schema by far."""

from __future__ import annotations

import json
from typing import Any

from entracte.adapters.models.dialect import Schema, anything


def notation(schema: Schema) -> str:
    """A reduced schema as a type, in the manner of TypeScript."""
    match schema:
        case {"const": value}:
            return _literal(value)
        case {"enum": list(values)}:
            return " | ".join(map(_literal, values))
        case {"anyOf": list(options)}:
            return " | ".join(dict.fromkeys(map(notation, options)))
        case {"type": "array", "prefixItems": list(items)}:
            return f"[{', '.join(map(notation, items))}]"
        case {"type": "array", "items": dict(items)}:
            item = notation(items)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case {"type": "object", "properties": dict(properties), **rest}:
            return _fields(properties, rest)
        case {"type": list(types)}:
            return "any" if types == anything()["type"] else " | ".join(types)
        case {"type": str(name)}:
            return name
        case _:
            return "any"


def _fields(properties: dict[str, Schema], rest: dict[str, Any]) -> str:
    required = rest.get("required", [])
    fields = [f'"{name}"{"" if name in required else "?"}: {notation(each)}' for name, each in properties.items()]
    match rest.get("additionalProperties"):
        case dict(others):
            fields.append(f"[name]: {notation(others)}")
        case True:
            fields.append("[name]: any")
        case _:
            pass
    return f"{{{', '.join(fields)}}}"


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
