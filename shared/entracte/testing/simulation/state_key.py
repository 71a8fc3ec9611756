"""When two states of an exploration are the same: up to random names, and how long ago things were."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from entracte.core.documents.base import Document
from entracte.core.documents.journal import Entry
from entracte.ports.store import Stored
from entracte.testing.simulation.handler import Handler
from entracte.testing.simulation.stage import World

_TOKEN = re.compile(r"\b(000[0-9a-f]{3})[0-9a-f]{14}\b")
"""A random text of a handler (`Handler.token`): the handler's number, and how many it had before."""

_NEW_S = 5
"""What is younger is still being published by its author (`entracte.core.due.AUTHOR_GRACE`)."""


def key_of(world: World, working: Sequence[Handler], more: Any) -> bytes:
    """The same for states from which the same things can happen."""
    handlers = sorted((_handler(world, handler), handler.number) for handler in working)
    names = {f"{number:06x}": f"worker {place}" for place, (_, number) in enumerate(handlers)}
    text = "\n".join(
        (
            *(f"{path} {_text(world, document)}" for path, document in sorted(world.documents.items())),
            *sorted(message.model_dump_json() for message in world.waiting),
            *(text for text, _ in handlers),
            *sorted(f"{effect.key} {effect.attempt}" for effect in world.effects),
            repr(more),
        )
    )
    # What handlers of the past have named is told apart from nothing any more.
    return sha256(_TOKEN.sub(lambda found: names.get(found[1], "past"), text).encode()).digest()


def _text(world: World, document: Document) -> str:
    if isinstance(document, Entry):  # that there is one is all that anybody asks
        return ""
    return repr(_plain(world, dict(document)))


def _handler(world: World, handler: Handler) -> str:
    replies = [_plain(world, reply.value) if reply.error is None else type(reply.error) for reply in handler.replies]
    return f"{handler.name} {replies!r}"


def _plain(world: World, value: Any) -> Any:
    """The value with times as how long ago they are, and versions as whether they are the present ones."""
    match value:
        case datetime():
            return _age(world, value)
        case Stored(path=path, fields=fields, version=version):
            return path, _plain(world, dict(fields)), _is_present(world, path, version)
        case Mapping() if value and all(isinstance(version, int) for version in value.values()):
            return {name: _is_present(world, name, number) for name, number in value.items()}
        case Mapping():
            return {name: _plain(world, item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(world, item) for item in value]
        case Document():
            return _plain(world, dict(value))
        case _ if hasattr(value, "model_fields_set"):
            return _plain(world, dict(value))
        case _:
            return value


def _age(world: World, then: datetime) -> str:
    seconds = (then - world.now).total_seconds()
    if seconds > 0:
        return f"in {seconds // 60:.0f} min"
    return "now" if seconds > -_NEW_S else "past"


def _is_present(world: World, name: str, number: int) -> Any:
    """Of a version, whether the document still has it; any other number as it is."""
    found = world.store.load([name]) if name.count("/") in (1, 3) else {}
    return found[name].version == number if name in found else number
