"""The documents of long-term memory: what is remembered of an owner, and how much on which day.

They lie under ``memories/{hash of the owner}``: no owner's name has to fit into a path.
"""

from __future__ import annotations

import re
from typing import Any, Literal, Self, get_args

from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.evolving import Evolving
from entracte.core.vector import Vector
from entracte.errors import InvalidInput

Category = Literal["preference", "decision", "setting", "personal", "other"]
"""What is worth keeping: how somebody likes things, what was decided, core settings of their work, personal details."""

CATEGORIES: tuple[Category, ...] = get_args(Category)

MAX_TEXT_CHARS = 2_000
MAX_TAGS, MAX_TAG_CHARS = 10, 50

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class MemoryItem(Document, frozen=True, kw_only=True):
    """One thing that is remembered.

    Attributes:
        id: Derived from what it came from, so that a repeated delivery or call makes nothing new.
        persona: Whose memory it is, where a network has several characters; empty for everybody's.
        day: Day on which it was said, where its owner is: ``2026-11-30``.
        run: Run that it comes from; empty for what people wrote.
        embedding: What it means, as the model `embedder` says; None where nobody was asked, or did not answer.
    """

    id: str
    owner: str
    persona: str = ""
    text: str
    category: Category = "other"
    tags: tuple[str, ...] = ()
    day: str
    run: str = ""
    embedding: Vector | None = None
    embedder: str = ""
    created: AwareDatetime

    @classmethod
    def of(cls, *, text: str, tags: Any = (), day: str, **fields: Any) -> Self:
        """A new one.

        Raises:
            InvalidInput: A text or tag that is none; `pointer` names which.
        """
        said = text.strip()
        if not 0 < len(said) <= MAX_TEXT_CHARS:
            raise InvalidInput(
                f"A memory has 1 to {MAX_TEXT_CHARS:,} characters, and this one {len(said):,}.", pointer="/text"
            )
        kept = tuple(dict.fromkeys(" ".join(str(tag).split()) for tag in tags))
        if len(kept) > MAX_TAGS or not all(0 < len(tag) <= MAX_TAG_CHARS for tag in kept):
            raise InvalidInput(f"At most {MAX_TAGS} tags of 1 to {MAX_TAG_CHARS} characters each.", pointer="/tags")
        if not _DAY.fullmatch(day):
            raise InvalidInput(f"A day is written 2026-11-30, not {day[:40]!r}.", pointer="/date")
        return cls(text=said, tags=kept, day=day, **fields)


class DayCount(Evolving, frozen=True, kw_only=True):
    """How much is remembered of one day."""

    persona: str
    day: str
    count: int


class MemoryIndex(Document, frozen=True, kw_only=True):
    """How much is remembered of an owner. Written with every item that comes or goes, so that it is right."""

    owner: str
    days: tuple[DayCount, ...] = ()

    @property
    def count(self) -> int:
        """All items of the owner, of every persona."""
        return sum(day.count for day in self.days)

    def plus(self, item: MemoryItem, change: int) -> MemoryIndex:
        """The index after an item has come (1) or gone (-1)."""
        counts = {(day.persona, day.day): day.count for day in self.days}
        place = (item.persona, item.day)
        counts[place] = counts.get(place, 0) + change
        kept = sorted((*place, count) for place, count in counts.items() if count > 0)
        return self.evolve(days=tuple(DayCount(persona=p, day=d, count=n) for p, d, n in kept))
