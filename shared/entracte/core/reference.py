"""One reference inside a template, such as ``$result.items[].id``: a root and a path."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct

from entracte.core.payload import readable
from entracte.errors import ConfigurationError, InvalidInput

_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
_STEP = re.compile(rf"\.({_NAME})|\[(0|-?[1-9][0-9]{{0,8}})?\]")
_REFERENCE = re.compile(rf"\$([A-Za-z0-9_]*)((?:{_STEP.pattern})*)")
_FULL_STOP = re.compile(r"\.(?=$|[\s\"'’”»)\]}])")  # ends a sentence rather than going on with the path


_SHOWN_CHARS = 60
"""Of the name of a field, which may be of any length: what is said of it has to fit into a document."""


class Each(Struct, frozen=True):
    """`[]`: the rest of the path, for every item of a list."""


Step = str | int | Each


class Reference(Struct, frozen=True):
    """What is referred to.

    Attributes:
        root: With its dollar sign: ``$``, ``$result``.
        steps: Field names, indexes and `Each`.
        text: As it was written.
    """

    root: str
    steps: tuple[Step, ...]
    text: str

    def resolve(self, values: Mapping[str, Any]) -> Any:
        """The value referred to; null is one.

        Args:
            values: JSON value by root.

        Raises:
            InvalidInput: A key or index is missing; names the reference and the place (code ``unresolved``).
        """
        if self.root not in values:
            raise self._unresolved(f"there is no {self.root}")
        return self._walk(values[self.root], 0, self.root)

    def _walk(self, value: Any, depth: int, at: str) -> Any:
        if depth == len(self.steps):
            return value
        match self.steps[depth], value:
            case str(name), dict() if name in value:
                return self._walk(value[name], depth + 1, f"{at}.{name}")
            case int(index), list() if -len(value) <= index < len(value):
                return self._walk(value[index], depth + 1, f"{at}[{index}]")
            case Each(), list():
                return [self._walk(item, depth + 1, f"{at}[{index}]") for index, item in enumerate(value)]
            case step, _:
                raise self._unresolved(f"{at} {_lacks(value, step)}")

    def _unresolved(self, why: str) -> InvalidInput:
        return InvalidInput(f"{self.text} cannot be resolved: {why}.", code="unresolved")


def read_reference(
    text: str, dollar: int, roots: Collection[str], pointer: str, *, from_end: bool
) -> tuple[Reference, int]:
    """The reference at a dollar sign, and the index at which the text goes on.

    Args:
        pointer: Where the text stands in its template, for the error.
        from_end: Take `[-1]` for the last item.

    Raises:
        ConfigurationError: An unknown root or a malformed path (code ``bad_template``).
    """
    found = _REFERENCE.match(text, dollar)
    assert found is not None  # a lone dollar sign matches
    root, end = f"${found[1]}", found.end()
    if root not in roots:
        raise malformed(f"{root!r} is nothing to refer to; known are {', '.join(sorted(roots))}", pointer)
    ends_here = text[end : end + 1] not in (".", "[") or (found[0] != "$" and _FULL_STOP.match(text, end))
    if not ends_here:
        raise malformed(f"{text[dollar : end + 12]!r} goes on with something else than .field, [0] or []", pointer)
    reference = Reference(root, tuple(_step(step) for step in _STEP.finditer(found[2])), found[0])
    if not from_end and any(isinstance(step, int) and step < 0 for step in reference.steps):
        raise malformed(f"{reference.text!r} counts from the end", pointer)
    return reference, end


def malformed(what: str, pointer: str) -> ConfigurationError:
    """The error for a template that cannot be understood."""
    message = f"Malformed template at {pointer or 'the top'}: {what}."
    return ConfigurationError(message, remedy="Write $$ for a dollar sign.", pointer=pointer, code="bad_template")


def _step(found: re.Match[str]) -> Step:
    if found[1] is not None:
        return found[1]
    return int(found[2]) if found[2] is not None else Each()


def _lacks(value: Any, step: Step) -> str:
    """What stands in the way of a step. Names keys, never values: those may be secret."""
    match step, value:
        case str(), dict():
            known = ", ".join(readable(name, _SHOWN_CHARS) for name in islice(value, 10))
            return f"has no field {step!r} (it has: {known or 'none'})"
        case int(), list():
            return f"has {len(value)} items, so no [{step}]"
        case _:
            return f"is {_kind(value)}, not {'an object' if isinstance(step, str) else 'a list'}"


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"
