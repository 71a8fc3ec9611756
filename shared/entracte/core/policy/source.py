"""The text of a manifest as a JSON value, with the place of every key and value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from entracte.core.policy.faults import Fault, Path, Problem


class Place(NamedTuple):
    """Line and column, from 1."""

    line: int
    column: int


class Source(Struct, frozen=True):
    """A manifest as it was written.

    Attributes:
        value: Plain JSON types; dates stay texts and variables are not filled in.
        values, keys: Where each value begins, and the key that it stands under.
    """

    file: str
    value: Any
    values: Mapping[Path, Place]
    keys: Mapping[Path, Place]

    def fault(self, problem: Problem) -> Fault:
        """The problem with its place; what is not there is placed at what should have held it."""
        line, column = self._place(problem)
        return Fault(line, column, problem.what, problem.expected, problem.found, self.file)

    def _place(self, problem: Problem) -> Place:
        if problem.at_key and problem.path in self.keys:
            return self.keys[problem.path]
        trail = (problem.path[:length] for length in range(len(problem.path), -1, -1))
        return next((self.values[path] for path in trail if path in self.values), Place(1, 1))


def texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """All strings in a JSON value, keys left out, each with its path."""
    match value:
        case str():
            yield path, value
        case Mapping():
            for key, item in value.items():
                yield from texts(item, (*path, key))
        case Sequence():
            for index, item in enumerate(value):
                yield from texts(item, (*path, index))
        case _:
            pass


def found_at(value: Any, path: Path) -> Any:
    """The value at a path that is known to be there."""
    for part in path:
        value = value[part]
    return value
