"""The JSON Schema of the manifest, for editors."""

from __future__ import annotations

from typing import Any

from entracte.core.policy.text.shapes import ManifestShape

_NEEDS_INVERSE = {"properties": {"class": {"enum": ["reversible", "compensable"]}}, "required": ["class"]}
_READONLY = {"properties": {"class": {"const": "readonly"}}, "required": ["class"]}

# What coherence.py asks of keys together, as far as a schema can say it.
_RULE = {
    "allOf": [
        {"if": _NEEDS_INVERSE, "then": {"required": ["inverse"]}, "else": {"not": {"required": ["inverse"]}}},
        {"if": _READONLY, "then": {"not": {"required": ["snapshot"]}}},
    ],
    "dependentRequired": {"ignore": ["snapshot"], "merge": ["snapshot", "inverse"], "on_expiry": ["expires"]},
}
_SERVER = {
    "oneOf": [{"required": ["command"]}, {"required": ["url"]}],
    "dependentRequired": {"args": ["command"], "env": ["command"], "headers": ["url"]},
}


def manifest_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of ``policy.yaml``, with descriptions."""
    made: dict[str, Any] = _plain(ManifestShape.model_json_schema())
    made["$defs"]["RuleShape"] |= _RULE
    made["$defs"]["ServerShape"] |= _SERVER
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Entracte policy manifest", **made}


def _plain(value: Any) -> Any:
    """Without pydantic's titles, and without the null that stands for a key left out."""
    match value:
        case {"anyOf": [{**given}, {"type": "null"}], **rest}:
            return _plain({name: item for name, item in rest.items() if name != "default"} | given)
        case dict():
            return {
                name: _plain(item) for name, item in value.items() if not (name == "title" and isinstance(item, str))
            }
        case list():
            return [_plain(item) for item in value]
        case _:
            return value
