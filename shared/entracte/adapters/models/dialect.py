"""Schemas and names as services accept them: the one place where JSON Schema is reduced to what all of them know.

A reduced schema allows everything that the full one allows, and possibly more: it steers the model, and the value is
checked against the full schema afterwards. So whatever a service may not know is left out rather than refused.

Sources: llama.cpp's `common/json-schema-to-grammar.cpp` and its `grammars/README.md`; OpenAI's "Supported schemas",
https://developers.openai.com/api/docs/guides/structured-outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

MAX_LEVELS = 24
"""Schemas inside each other. What lies deeper may be anything."""

MAX_NODES = 2_000
"""Schemas in one, with its references filled in. What comes after may be anything."""

MAX_REPETITION = 2_000
"""Largest length or count that llama.cpp's grammars take."""

_TYPES = ("string", "number", "integer", "boolean", "null", "object", "array")
_FORMATS = ("date", "time", "date-time", "uuid")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")


def wire_name(name: str) -> str:
    """A tool's name as it travels: services take no dot in one. `server.tool` becomes `server__tool`."""
    return name.replace(".", "__")


def anything() -> Schema:
    """A schema for any JSON value. An empty schema would do, but llama.cpp takes that for an object."""
    return {"type": ["string", "number", "boolean", "null", "object", "array"]}


def reduced(schema: Mapping[str, Any]) -> Schema:
    """The schema without references and without keywords that a service may not know."""
    return _Reduction(schema).schema(schema, (), 0)


def is_strict(schema: Schema) -> bool:
    """Whether a reduced schema is one that OpenAI enforces to the letter (``strict``)."""
    match schema:
        case {"anyOf": list(options)}:
            return all(is_strict(option) for option in options)
        case {"type": "object", "properties": dict(properties), "additionalProperties": False}:
            required = schema.get("required", [])
            return set(required) == set(properties) and all(is_strict(each) for each in properties.values())
        case {"type": "array", "items": dict(items)}:
            return is_strict(items)
        case {"type": "string" | "number" | "integer" | "boolean" | "null"}:
            return "minLength" not in schema and "maxLength" not in schema
        case _:
            return False


def for_gemini(schema: Schema) -> Schema:
    """A reduced schema without what Gemini does not know: constants, lengths of texts, exclusive bounds.

    Source: https://ai.google.dev/gemini-api/docs/structured-output, "JSON schema support".
    """
    kept = {key: value for key, value in schema.items() if key not in _UNKNOWN_TO_GEMINI}
    if "const" in schema:
        kept["enum"] = [schema["const"]]
    if not all(type(value) in (str, int, float) for value in kept.get("enum", ())):
        del kept["enum"]
    if kept.get("type") == anything()["type"]:
        del kept["type"]
    for key in ("anyOf", "prefixItems"):
        if key in kept:
            kept[key] = [for_gemini(each) for each in kept[key]]
    for key in ("items", "additionalProperties"):
        if isinstance(kept.get(key), dict):
            kept[key] = for_gemini(kept[key])
    if "properties" in kept:
        kept["properties"] = {name: for_gemini(each) for name, each in kept["properties"].items()}
    return kept


_UNKNOWN_TO_GEMINI = ("const", "minLength", "maxLength", "exclusiveMinimum", "exclusiveMaximum")


class _Reduction:
    """One reduction: the document that references point into, and how many schemas it may still become."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._left = MAX_NODES

    def schema(self, full: Any, following: tuple[str, ...], level: int) -> Schema:
        """Reduce one schema.

        Args:
            following: References being filled in around it; one of them again would never end.
        """
        self._left -= 1
        if not isinstance(full, Mapping) or self._left < 0 or level > MAX_LEVELS:
            return anything()
        if isinstance(reference := full.get("$ref"), str):
            target = None if reference in following else self._target(reference)
            beside = {key: value for key, value in full.items() if key != "$ref"}
            if not isinstance(target, Mapping):
                return anything() | _described(full)
            return self.schema({**target, **beside}, (*following, reference), level + 1)
        parts = full.get("allOf")
        if isinstance(parts, list) and parts:
            rest = {key: value for key, value in full.items() if key != "allOf"}
            whole: Schema = {}
            for part in (*parts, rest):
                whole = _both(whole, self.schema(part, following, level + 1))
            return whole
        return self._single(full, following, level)

    def _single(self, full: Mapping[str, Any], following: tuple[str, ...], level: int) -> Schema:
        """A schema with neither `$ref` nor `allOf`."""
        if isinstance(full.get("properties"), dict) or full.get("type") == "object":
            return self._object(full, following, level)
        if isinstance(options := full.get("anyOf", full.get("oneOf")), list) and options:
            reduced_options = [self.schema(option, following, level + 1) for option in options]
            if "type" not in full or anything() not in reduced_options:
                return {"anyOf": reduced_options} | _described(full)
        if isinstance(prefix := full.get("prefixItems"), list) and prefix:
            items = [self.schema(item, following, level + 1) for item in prefix]
            return {"type": "array", "prefixItems": items} | _described(full)
        if isinstance(full.get("items"), Mapping):
            items_schema = self.schema(full["items"], following, level + 1)
            return {"type": "array", "items": items_schema} | _counts(full) | _described(full)
        return _scalar(full)

    def _object(self, full: Mapping[str, Any], following: tuple[str, ...], level: int) -> Schema:
        """An object takes no fields but those named, unless its author said so: a model should not add any."""
        properties = {
            name: self.schema(each, following, level + 1) for name, each in full.get("properties", {}).items()
        }
        others = full.get("additionalProperties", "properties" not in full)
        if full.get("patternProperties"):
            others = True
        elif isinstance(others, Mapping):
            others = self.schema(others, following, level + 1)
        if not properties and others is True:
            return {"type": "object"} | _described(full)
        required = [name for name in full.get("required", []) if name in properties]
        closed = {"properties": properties, "required": required, "additionalProperties": others}
        return {"type": "object"} | closed | _described(full)

    def _target(self, reference: str) -> Any:
        """What a reference inside the document points to (JSON Pointer, RFC 6901), or None."""
        if not reference.startswith("#"):
            return None
        found: Any = self._document
        for part in reference[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


def _scalar(full: Mapping[str, Any]) -> Schema:
    if "const" in full:
        return {"const": full["const"]} | _type_of([full["const"]]) | _described(full)
    if isinstance(values := full.get("enum"), list) and values:
        return {"enum": values} | _type_of(values) | _described(full)
    declared = full.get("type")
    types = [kind for kind in (declared if isinstance(declared, list) else [declared]) if kind in _TYPES]
    match types:
        case []:
            return anything() | _described(full)
        case ["string"]:
            form = {"format": full["format"]} if full.get("format") in _FORMATS else {}
            return {"type": "string"} | form | _counts(full) | _described(full)
        case ["integer"]:
            bounds = {key: full[key] for key in _BOUNDS if type(full.get(key)) is int and abs(full[key]) < 2**53}
            return {"type": "integer"} | bounds | _described(full)
        case [kind]:
            return {"type": kind} | _described(full)
        case _:
            return {"type": types} | _described(full)


def _counts(full: Mapping[str, Any]) -> Schema:
    return {key: full[key] for key in _COUNTS if type(full.get(key)) is int and 0 <= full[key] <= MAX_REPETITION}


def _described(full: Mapping[str, Any]) -> Schema:
    return {"description": full["description"]} if isinstance(full.get("description"), str) else {}


def _type_of(values: list[Any]) -> Schema:
    """The one type of some literals, for services that insist on it."""
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    kinds = {names.get(type(value)) for value in values}
    return {"type": kinds.pop()} if len(kinds) == 1 and None not in kinds else {}


def _both(one: Schema, other: Schema) -> Schema:
    """At least what satisfies two reduced schemas: fields add up, and elsewhere the later one counts."""
    if other.get("type") == anything()["type"]:
        return (one or other) | _described(other)
    if "properties" not in one or "properties" not in other:
        return one | other
    closed = one["additionalProperties"] is False and other["additionalProperties"] is False
    fields = {
        "properties": one["properties"] | other["properties"],
        "required": list(dict.fromkeys([*one["required"], *other["required"]])),
        "additionalProperties": not closed,
    }
    return one | other | fields
