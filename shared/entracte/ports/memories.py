"""The memories port: what is remembered of one owner, for one persona."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from entracte.core.documents.memory_item import Category, DayCount, MemoryItem


class Memories(Protocol):
    """Reads and writes memories. Each is made once for a key, however often that is asked for."""

    def remember(
        self,
        *,
        key: str,
        text: str,
        category: Category = "other",
        tags: Iterable[str] = (),
        day: str = "",
        run: str = "",
    ) -> MemoryItem:
        """Keep something.

        Args:
            day: ``2026-11-30``; today (UTC) by default.

        Raises:
            InvalidInput: A field that is not acceptable; `pointer` names it.
            Conflict: So much is remembered that something has to be forgotten first (code ``memory_full``).
        """
        ...

    def recall(self, query: str, *, category: Category | None = None, limit: int = 8) -> Sequence[MemoryItem]:
        """What is nearest in meaning, then what shares words; without a query, the latest."""
        ...

    def get(self, id: str) -> MemoryItem:
        """One of them.

        Raises:
            NotFound: There is none of that id.
        """
        ...

    def days(self) -> Sequence[DayCount]:
        """Days on which something was remembered, the latest first."""
        ...

    def of_day(self, day: str) -> Sequence[MemoryItem]:
        """What was remembered on a day, in order."""
        ...

    def forget(self, id: str) -> MemoryItem:
        """Remove one, and give it as it was.

        Raises:
            NotFound: There is none of that id.
        """
        ...

    def put_back(self, record: Mapping[str, Any]) -> MemoryItem:
        """Make a memory what it was, whether it is there or not.

        Args:
            record: As `entracte.core.memory.record.record_of` gave it.
        """
        ...
