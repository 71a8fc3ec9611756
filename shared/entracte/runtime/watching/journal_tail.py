"""Reading a run's events as they are committed: each exactly once, in the order of the commits.

Entries carry the time of their decision, and become visible when they are committed, a little later: of two that are
committed at once, the one with the earlier time may be seen last. A cursor over times would pass over it. So the order
is that of the *versions*, which a store gives in the order of its commits (`entracte.ports.store.Version`), and entries
are never written twice. A query sees everything that was committed before it: with a version in sight, whatever has a
lower one is in sight too. Times only narrow down where to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import groupby

from msgspec import Struct

from entracte.core.documents.journal import Entry
from entracte.core.events import Event, events_of
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository

LATE = timedelta(seconds=120)
"""How much later than its time an entry may become visible: more than a commit may take, and clocks may differ."""

SOON = timedelta(seconds=2)
"""How much later it mostly is. Looking this far back is enough to see that there is something new."""

PAGE = 500


class Place(Struct, frozen=True):
    """A place between two events of a run.

    Attributes:
        at: Newest time of an entry before it; None at the start.
        version: Commit of the event before it.
        index: Which of that commit's events it is, from 0.
    """

    at: datetime | None = None
    version: int = 0
    index: int = -1


START = Place()


class _Found(Struct, frozen=True):
    version: int
    path: str
    entry: Entry


class JournalTail:
    """The events of a run from a place on.

    Attributes:
        place: After the last event that was read.
    """

    def __init__(self, repository: Repository, run: str, place: Place = START) -> None:
        self._repository = repository
        self._run = run
        self._resumed = place != START
        self.place = place

    def read(self, *, thorough: bool = False) -> list[tuple[Place, Event]]:
        """What is new, with the place after each event; not always all of it, but nothing only when there is nothing.

        Args:
            thorough: Find what became visible much later than its time, even when nothing newer did.
        """
        while True:
            before = self.place, self._resumed
            told = self._read(thorough)
            self._resumed = False
            if told or before == (self.place, False):
                return told  # else entries without events were passed: there may be others behind them

    def _read(self, thorough: bool) -> list[tuple[Place, Event]]:
        pages = self._pages(LATE if thorough else SOON)
        news = next((found for found in pages if any(map(self._is_new, found[0]))), None)
        if news is None:
            return []
        page, is_last = news
        horizon, last = max(found.version for found in page), page[-1].entry.at
        entries = {found.path: found for found in page}
        if not (is_last and thorough):  # others of the same commits or before them may lie elsewhere
            for page, _ in self._pages(LATE):
                entries |= {found.path: found for found in page}
                if page[-1].entry.at > last + LATE:
                    break
        new = [found for found in entries.values() if found.version <= horizon and self._is_new(found)]
        return self._told(sorted(new, key=lambda found: (found.version, found.entry.at, found.path)))

    def _told(self, new: list[_Found]) -> list[tuple[Place, Event]]:
        told: list[tuple[Place, Event]] = []
        for version, commit in groupby(new, key=lambda found: found.version):  # mostly one entry
            entries = [found.entry for found in commit]
            at = max(entry.at for entry in entries)
            at = max(at, self.place.at or at)
            events = [event for entry in entries for event in events_of(entry)]
            first = self.place.index + 1 if version == self.place.version else 0
            told += [(Place(at, version, index), events[index]) for index in range(first, len(events))]
            self.place = Place(at, version, len(events) - 1)
        return told

    def _is_new(self, found: _Found) -> bool:
        return found.version > self.place.version or (self._resumed and found.version == self.place.version)

    def _pages(self, back: timedelta) -> Iterator[tuple[list[_Found], bool]]:
        """Entries from so long before the place on, by their times, and whether they are the last; never none.

        An entry that cannot be read leaves a gap: a page is not the last for having fewer than it can hold.
        """
        since = self.place.at - back if self.place.at is not None else None
        after = None
        while True:
            query = queries.journal_since(self._run, since, limit=PAGE, after=after)
            loaded = self._repository.query(query, unreadable=[])
            page = [
                _Found(loaded.versions[path], path, entry)
                for path, entry in loaded.documents.items()
                if isinstance(entry, Entry)
            ]
            if page:
                yield page, loaded.end is None
            if (after := loaded.end) is None:
                return
