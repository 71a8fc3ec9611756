"""What a tool's JSON Schema says of its arguments, for checking templates before there are values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from entracte.core.reference import Each, Step

_MAX_VISITS = 1000
"""Schemas looked at for one path; one that refers to itself is looked at again and again."""


class ArgumentSchema:
    """The schema of one tool's arguments. Where it says nothing, everything is allowed."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._root = parameters

    @property
    def properties(self) -> Mapping[str, Any]:
        """Schemas of the arguments it names."""
        return _mapping(self._root.get("properties"))

    @property
    def required(self) -> frozenset[str]:
        """Arguments that every call has to give."""
        found = self._root.get("required")
        return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()

    @property
    def is_open(self) -> bool:
        """Whether it allows arguments that it does not name. Saying nothing counts as no: a slip is likelier."""
        more = self._root.get("additionalProperties", not self.properties)
        return more is not False or bool(self._root.get("patternProperties"))

    def of(self, name: str) -> dict[str, Any]:
        """The schema of one argument, which stands by itself."""
        definitions = {key: self._root[key] for key in ("$defs", "definitions") if key in self._root}
        return {**definitions, "allOf": [self.properties[name]]} if name in self.properties else {}

    def has(self, steps: Sequence[Step]) -> bool:
        """Whether a value at this path is possible."""
        if not steps:
            return True
        first, *rest = steps
        if not isinstance(first, str):
            return False  # arguments are an object
        if first not in self.properties:
            return self.is_open
        return self._visit([(self.properties[first], tuple(rest))])

    def allows(self, steps: Sequence[Step]) -> bool:
        """Whether a value at this path is possible in what the schema describes, which need not be an object."""
        return self._visit([(self._root, tuple(steps))])

    def _visit(self, waiting: list[tuple[Any, tuple[Step, ...]]]) -> bool:
        for _ in range(_MAX_VISITS):
            if not waiting:
                return False
            schema, steps = waiting.pop()
            if not steps or not isinstance(schema, Mapping):
                if schema is not False:
                    return True
                continue
            branches = list(self._branches(schema))
            waiting += [(branch, steps) for branch in branches]
            if _speaks_of(schema, steps[0]) or not branches:
                waiting += [(below, steps[1:]) for below in _below(schema, steps[0])]
        return True

    def _branches(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        """Schemas that hold for the same value."""
        for key in ("anyOf", "oneOf", "allOf"):
            if isinstance(schema.get(key), list):
                yield from schema[key]
        if isinstance(reference := schema.get("$ref"), str):
            yield self._referred(reference)

    def _referred(self, reference: str) -> Any:
        """What a ``$ref`` within the schema refers to; what lies elsewhere allows everything."""
        found: Any = self._root
        if not reference.startswith("#"):
            return True
        for part in reference.removeprefix("#").split("/")[1:]:
            found = _mapping(found).get(part.replace("~1", "/").replace("~0", "~"), True)
        return found


def _speaks_of(schema: Mapping[str, Any], step: Step) -> bool:
    keys = ("properties", "additionalProperties") if isinstance(step, str) else ("items", "prefixItems")
    return any(key in schema for key in keys)


def _below(schema: Mapping[str, Any], step: Step) -> Iterator[Any]:
    """Schemas of what a step leads to."""
    types = schema.get("type")
    types = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    match step:
        case str(name):
            if types and "object" not in types:
                return
            properties = _mapping(schema.get("properties"))
            if name in properties:
                yield properties[name]
            else:
                yield schema.get("additionalProperties", not properties)
        case int() | Each():
            if types and "array" not in types:
                return
            leading = schema.get("prefixItems")
            if isinstance(leading, list) and isinstance(step, int) and step < len(leading):
                yield leading[step]
            else:
                yield schema.get("items", True)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
