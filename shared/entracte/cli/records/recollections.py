"""What is remembered of somebody as JSON: on this machine, or behind an API, where `entracte.own_memories` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from entracte.core.memory.record import record_of

if TYPE_CHECKING:
    from entracte.runtime.services.memories import StoredMemories

Json = Mapping[str, Any]


class Recollections(Protocol):
    """Reads and removes memories. Raises NotFound for an id of nothing."""

    def list(self, *, limit: int = 100) -> tuple[Json, ...]:
        """The latest first."""
        ...

    def get(self, memory: str) -> Json:
        """One of them."""
        ...

    def everything(self) -> Json:
        """All of them, and whose they are."""
        ...

    def forget(self, memory: str) -> Json:
        """Remove one, and give it as it was."""
        ...

    def forget_all(self) -> int:
        """Remove all. Gives how many there were."""
        ...


class LocalRecollections:
    """Memories in a store of this machine."""

    def __init__(self, memories: StoredMemories, *, owner: str) -> None:
        self._memories = memories
        self._owner = owner

    def list(self, *, limit: int = 100) -> tuple[Json, ...]:
        return tuple(map(record_of, self._memories.page(limit=limit).items))

    def get(self, memory: str) -> Json:
        return record_of(self._memories.get(memory))

    def everything(self) -> Json:
        found = self._memories.everything()
        memories = [record_of(item) for item in found.items]
        return {"owner": self._owner, "memories": memories, "unreadable": found.unreadable}

    def forget(self, memory: str) -> Json:
        return record_of(self._memories.forget(memory))

    def forget_all(self) -> int:
        return self._memories.forget_all()
