"""When two states of an exploration are the same: up to random names, revisions, and how long ago things were."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from entracte.core.documents.action import Action
from entracte.core.documents.journal import Entry
from entracte.core.due import AUTHOR_GRACE
from entracte.ports.store import Stored
from entracte.testing.simulation.handler import Handler, Reply
from entracte.testing.simulation.stage import World

_TOKEN = re.compile(r"\b(000[0-9a-f]{3})[0-9a-f]{14}\b")
"""A random text of a handler (`Handler.token`): the handler's number, and how many it had before."""

_IRRELEVANT = frozenset({"rev", "parked_ms", "duration_ms"})
"""Fields by which nobody decides what happens next. A revision says no more than the version, which is looked at."""

_RECENT_MATTERS = frozenset({"moved", "ended"})
"""Times of which the engine asks whether they are younger than `AUTHOR_GRACE`; of others, whether they are over."""

_MOST_KNOWN = 50_000
"""Values whose words are kept; then all are made anew."""


@dataclass(frozen=True, slots=True)
class _Time:
    then: datetime
    recent_matters: bool

    def told(self, world: World, names: Mapping[str, str]) -> str:
        if self.then > world.now:
            return "to come"
        return "recent" if self.recent_matters and world.now - self.then < AUTHOR_GRACE else "past"


@dataclass(frozen=True, slots=True)
class _Version:
    """A document as a handler has read it."""

    path: str
    number: int

    def told(self, world: World, names: Mapping[str, str]) -> str:
        return "present" if world.versions.get(self.path) == self.number else "outdated"


@dataclass(frozen=True, slots=True)
class _Token:
    """What a handler has named."""

    number: str

    def told(self, world: World, names: Mapping[str, str]) -> str:
        return names.get(self.number, "past")  # handlers of the past are told apart from nothing any more


@dataclass(frozen=True, slots=True)
class _Place:
    """An action's place in the order of effects."""

    order: int

    def told(self, world: World, names: Mapping[str, str]) -> str:
        orders = {found.order for found in world.documents.values() if isinstance(found, Action)}
        return str(sum(order < self.order for order in orders))


_Part = str | _Time | _Version | _Token | _Place
"""Of a value: text, or what depends on the state that it is found in."""


class StateKeys:
    """Gives keys. Documents, messages and answers never change: each is put into words once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, tuple[_Part, ...]]] = {}  # by identity, with what it is the identity of

    def of(self, world: World, working: Sequence[Handler], more: Any) -> bytes:
        """The same for states from which the same things can happen."""
        in_order = sorted(working, key=lambda handler: (handler.name, len(handler.replies), handler.number))
        names = {f"{handler.number:06x}": f"worker {place}" for place, handler in enumerate(in_order)}
        lines = (
            *sorted(self._text(world, document, names, path) for path, document in world.documents.items()),
            *sorted(self._text(world, message, names) for message in world.waiting),
            *(self._handler(world, handler, names) for handler in in_order),
            *sorted(f"{effect.key} {effect.attempt}" for effect in world.effects),
            repr(more),
        )
        return sha256("\n".join(lines).encode()).digest()

    def _handler(self, world: World, handler: Handler, names: Mapping[str, str]) -> str:
        said = (self._text(world, reply, names) for reply in handler.replies)
        return f"{handler.name} {self._text(world, handler.message, names)} {' '.join(said)}"

    def _text(self, world: World, value: object, names: Mapping[str, str], path: str = "") -> str:
        known = self._known.get(id(value))
        if known is None:
            if len(self._known) == _MOST_KNOWN:
                self._known.clear()
            known = self._known[id(value)] = (value, _joined((*_parts(path), *_parts(value))))
        return "".join([part if isinstance(part, str) else part.told(world, names) for part in known[1]])


def _joined(parts: Sequence[_Part]) -> tuple[_Part, ...]:
    """The parts with texts beside each other joined."""
    joined: list[_Part] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(before := joined[-1], str):
            joined[-1] = before + part
        else:
            joined.append(part)
    return tuple(joined)


def _parts(value: Any) -> Iterator[_Part]:
    match value:
        case datetime():
            yield _Time(value, recent_matters=True)
        case str():
            pieces = _TOKEN.split(value)  # text, number of a handler, text, …
            for place, piece in enumerate(pieces):
                yield _Token(piece) if place % 2 else repr(piece)
        case Entry():
            yield "that there is one is all that anybody asks"
        case Stored(path=path, fields=fields, version=version):
            yield path
            yield from _parts(fields)
            yield _Version(path, version)
        case Reply(error=error) if error is not None:
            yield type(error).__name__
        case Reply(value=answer):
            yield from _parts(answer)
        case Mapping() if value and all("/" in str(name) and type(number) is int for name, number in value.items()):
            for path, number in value.items():  # versions, as a commit answers them
                yield path
                yield _Version(path, number)
        case Mapping():
            for name, item in value.items():
                if name not in _IRRELEVANT:
                    yield f"{name}: "
                    yield from _field(name, item)
                    yield ", "
        case list() | tuple():
            for item in value:
                yield from _parts(item)
                yield ", "
        case Struct():
            yield from _parts(asdict(value))
        case _:
            yield from _parts(repr(value))


def _field(name: str, value: Any) -> Iterator[_Part]:
    match value:
        case datetime():
            yield _Time(value, name in _RECENT_MATTERS)
        case int() if name == "order":
            yield _Place(value)
        case _:
            yield from _parts(value)
