"""Long-term memory in the store: what tools do through their context, and people through HTTP and the command line."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from entracte.core.addresses import memory_index_path, memory_path
from entracte.core.documents.memory_item import Category, DayCount, MemoryIndex, MemoryItem
from entracte.core.effects import Recalled
from entracte.core.memory.naming import absent, is_id, memory_id
from entracte.core.memory.record import from_record, line_of
from entracte.core.memory.spec import MemorySpec
from entracte.core.memory.words import by_words
from entracte.core.outcome import Put
from entracte.core.vector import Vector
from entracte.errors import ConfigurationError, Conflict, ModelRefused, ModelUnavailable, NotFound
from entracte.ports.clock import Clock
from entracte.ports.embedder import Embedder
from entracte.ports.store import Query
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Loaded, Repository
from entracte.runtime.services.page import MAX_PAGES, Page, Place, page_of
from entracte.runtime.services.racing import raced

log = logging.getLogger("entracte")

MAX_READ = 500
"""Memories that are looked through for words, the latest."""

MAX_STANDING, STANDING_READ = 4, 50
"""Preferences and settings that every run is shown, and how many of the latest memories these are looked for in."""

PAGE = 200
"""Memories of one page; they are removed so many at a time."""

EMBED_S = 20.0
"""Seconds that the embedding model may take; then words have to do."""


class StoredMemories:
    """What is remembered of one owner.

    Args:
        embedder: Opens the embedding model; gives None where there is none.
        embedder_name: ``provider/name`` of it: vectors of different models are not comparable.
        mask: Takes out of a text what neither documents nor models get to see.
    """

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        pause: Callable[[int], object],
        *,
        owner: str,
        spec: MemorySpec,
        embedder: Callable[[], Embedder | None] = lambda: None,
        embedder_name: str = "",
        mask: Callable[[str], str] = lambda text: text,
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._pause = pause
        self._owner = owner
        self._spec = spec
        self._embedder = embedder
        self._embedder_name = embedder_name
        self._mask = mask
        self._index = memory_index_path(owner)

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
        now = self._clock.now()
        made = MemoryItem.of(
            id=memory_id(key),
            owner=self._owner,
            persona=self._spec.persona,
            text=text,
            category=category,
            tags=tuple(tags),
            day=day or f"{now:%Y-%m-%d}",
            run=run,
            created=now,
        )
        return self._add(made)

    def recall(self, query: str, *, category: Category | None = None, limit: int = 8) -> tuple[MemoryItem, ...]:
        if not query.strip():
            return self._latest(limit, category)
        query = self._mask(query)  # as memories are
        found = self._near(query, limit, category)
        if len(found) < limit:
            known = {item.id for item in found}
            found += [item for item in by_words(query, self._latest(MAX_READ, category)) if item.id not in known]
        return tuple(found[:limit])

    def recalled(self, text: str) -> Recalled:
        """What a run is shown at its start: preferences and settings, then what may matter for this text."""
        latest = self._latest(STANDING_READ, None)
        standing = [item for item in latest if item.category in ("preference", "setting")][:MAX_STANDING]
        found = {item.id: item for item in (*standing, *self.recall(text, limit=self._spec.shown))}
        return Recalled(tuple(line_of(item) for item in found.values())[: self._spec.shown])

    def get(self, id: str) -> MemoryItem:
        return self._read(id)[1]

    def days(self) -> tuple[DayCount, ...]:
        index = self._repository.load((self._index,)).documents.get(self._index)
        days = index.days if isinstance(index, MemoryIndex) else ()
        own = (day for day in days if day.persona == self._spec.persona)
        return tuple(sorted(own, key=lambda day: day.day, reverse=True))

    def of_day(self, day: str) -> tuple[MemoryItem, ...]:
        query = queries.memories_of_day(self._index, self._spec.persona, day, limit=MAX_READ)
        return self._found(self._repository.query(query, unreadable=[]))[::-1]

    def page(self, *, limit: int, after: Place | None = None) -> Page[MemoryItem]:
        """Everything that is remembered of the owner, for every persona, the latest first."""
        return page_of(self._repository, self._of_all(after, limit=limit), MemoryItem, passing_over=True)

    def _of_all(self, after: Place | None, *, limit: int = PAGE) -> Query:
        return queries.memories_of(self._index, limit=limit, after=after)

    def everything(self) -> Page[MemoryItem]:
        """All of it, the latest first, as one page."""
        items: list[MemoryItem] = []
        after, unreadable = None, 0
        for _ in range(MAX_PAGES):
            found = self.page(limit=PAGE, after=after)
            items += found.items
            unreadable += found.unreadable
            if (after := found.after) is None:
                break
        return Page(tuple(items), None, unreadable)

    def forget(self, id: str) -> MemoryItem:
        found: list[MemoryItem] = []

        def attempt(unclear: bool) -> MemoryItem:
            try:
                loaded, item = self._read(id)
            except NotFound:
                if unclear:
                    return found[-1]
                raise
            found.append(item)
            index = self._index_in(loaded).plus(item, -1)
            # Whoever adds or forgets writes the index: of two who forget the same, one loses and looks again.
            self._repository.commit(loaded, (Put(self._index, index),), removes=(memory_path(self._owner, id),))
            return item

        return raced(attempt, id, self._pause)

    def forget_all(self) -> int:
        """Remove everything, a page in each commit. Gives how many there were."""
        count = 0
        for _ in range(MAX_PAGES):
            if not (gone := raced(self._forget_page, self._index, self._pause)):
                break
            count += gone
        return count

    def _forget_page(self, unclear: bool) -> int:
        """The latest ones, be they such as cannot be read; nobody adds any in between, or the index has changed."""
        loaded, query = self._repository.load((self._index,)), self._of_all(None)
        paths = [document.path for document in self._repository.found(query)]
        after = self._index_in(loaded)
        for item in self._found(self._repository.query(query, unreadable=[])):
            after = after.plus(item, -1)
        if paths:
            self._repository.commit(loaded, (Put(self._index, after),), removes=paths)
        return len(paths)

    def put_back(self, record: Mapping[str, Any]) -> MemoryItem:
        return self._add(from_record(record, owner=self._owner))

    def _add(self, item: MemoryItem) -> MemoryItem:
        item = item.evolve(text=self._mask(item.text), tags=tuple(map(self._mask, item.tags)))
        path = memory_path(self._owner, item.id)
        meant: list[MemoryItem] = []

        def attempt(unclear: bool) -> MemoryItem:
            loaded = self._repository.load((self._index, path))
            there = loaded.documents.get(path)
            if isinstance(there, MemoryItem):
                return there  # its id is this key's: it was made by an earlier try
            index = self._index_in(loaded)
            if index.count >= self._spec.max_items:
                raise Conflict(
                    f"{self._spec.max_items:,} memories are the most that is kept.",
                    remedy="Forget some first.",
                    code="memory_full",
                )
            if not meant:  # the model is asked once
                meant.append(self._with_meaning(item))
            self._repository.commit(loaded, (Put(path, meant[0]), Put(self._index, index.plus(item, 1))))
            return meant[0]

        return raced(attempt, item.id, self._pause)

    def _with_meaning(self, item: MemoryItem) -> MemoryItem:
        vector = self._meaning(item.text)
        return item if vector is None else item.evolve(embedding=vector, embedder=self._embedder_name)

    def _meaning(self, text: str) -> Vector | None:
        """What a text means; None where nobody can tell now."""
        if not self._embedder_name:
            return None
        try:
            if (embedder := self._embedder()) is None:
                return None
            (values,) = embedder.embed([self._mask(text)], deadline_s=EMBED_S)
        except (ModelUnavailable, ModelRefused, ConfigurationError) as error:
            log.warning("embedding_failed model=%s %s", self._embedder_name, error)
            return None
        return Vector.fitted(values)

    def _near(self, text: str, limit: int, category: Category | None) -> list[MemoryItem]:
        if (vector := self._meaning(text)) is None:
            return []
        wanted = limit if category is None else MAX_READ
        query = queries.memories_near(self._index, self._spec.persona, self._embedder_name, vector, limit=wanted)
        near = [
            item
            for item in self._found(self._repository.query(query, unreadable=[]))
            if category in (None, item.category)
            and item.embedding is not None
            and vector.likeness(item.embedding) >= self._spec.likeness
        ]
        return near[:limit]

    def _latest(self, limit: int, category: Category | None) -> tuple[MemoryItem, ...]:
        wanted = limit if category is None else MAX_READ
        query = queries.latest_memories(self._index, self._spec.persona, limit=wanted)
        found = self._found(self._repository.query(query, unreadable=[]))
        return tuple(item for item in found if category in (None, item.category))[:limit]

    @staticmethod
    def _found(loaded: Loaded) -> tuple[MemoryItem, ...]:
        return tuple(doc for doc in loaded.documents.values() if isinstance(doc, MemoryItem))

    def _read(self, id: str) -> tuple[Loaded, MemoryItem]:
        if not is_id(id):
            raise absent(id)
        path = memory_path(self._owner, id)
        loaded = self._repository.load((self._index, path))
        found = loaded.documents.get(path)
        if not isinstance(found, MemoryItem):
            raise absent(id)
        return loaded, found

    def _index_in(self, loaded: Loaded) -> MemoryIndex:
        found = loaded.documents.get(self._index)
        return found if isinstance(found, MemoryIndex) else MemoryIndex(owner=self._owner)
