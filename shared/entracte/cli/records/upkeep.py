"""What operators do: on this machine, or behind an API, where `entracte.operations` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from entracte.runtime.engine.engine import Engine
from entracte.runtime.upkeep.erasing import erase
from entracte.runtime.upkeep.letters import drop_letter, list_letters

Json = Mapping[str, Any]


class Upkeep(Protocol):
    """Looks after what is kept."""

    def erase(self, owner: str, *, dry_run: bool) -> Json:
        """Delete what is kept of an owner, or say what it is; until it is ``complete``, to be asked again.

        Raises Conflict while one of their runs is open.
        """
        ...

    def letters(self, *, limit: int) -> tuple[Json, ...]:
        """Messages that nobody could read, the one that came last first."""
        ...

    def drop_letter(self, letter: str) -> Json:
        """Delete one. Raises NotFound for an id of nothing."""
        ...


class LocalUpkeep:
    """In a store of this machine: whoever can open its file could write anything into it, and so is an operator."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def erase(self, owner: str, *, dry_run: bool) -> Json:
        return erase(self._engine, owner, dry_run=dry_run, by="cli").json

    def letters(self, *, limit: int) -> tuple[Json, ...]:
        return list_letters(self._engine.repository, limit=limit).items

    def drop_letter(self, letter: str) -> Json:
        return drop_letter(self._engine.repository, letter)
