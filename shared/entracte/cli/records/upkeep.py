"""What operators do: on this machine, or behind an API, where `entracte.operations` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from entracte.runtime.engine.repository import Repository
from entracte.runtime.upkeep.letters import drop_letter, list_letters

Json = Mapping[str, Any]


class Upkeep(Protocol):
    """Looks after what is kept."""

    def letters(self, *, limit: int) -> tuple[Json, ...]:
        """Messages that nobody could read, the one that came last first."""
        ...

    def drop_letter(self, letter: str) -> Json:
        """Delete one. Raises NotFound for an id of nothing."""
        ...


class LocalUpkeep:
    """In a store of this machine: whoever can open its file could write anything into it, and so is an operator."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def letters(self, *, limit: int) -> tuple[Json, ...]:
        return list_letters(self._repository, limit=limit).items

    def drop_letter(self, letter: str) -> Json:
        return drop_letter(self._repository, letter)
