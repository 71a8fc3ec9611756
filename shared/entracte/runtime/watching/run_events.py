"""The events of a run for those who watch it: what is in the journal, once and in order, and what is being written now.

Watching is said in the run document, `watched_until`, so that whoever asks a model knows it without reading anything
else: nobody writes live text for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from entracte.core.addresses import run_path
from entracte.core.documents.run import Run
from entracte.core.outcome import Put
from entracte.errors import EntracteError
from entracte.runtime.engine.engine import Engine
from entracte.runtime.watching.journal_tail import START, JournalTail, Place
from entracte.runtime.watching.live_reading import LiveReading

WATCHED_FOR = timedelta(seconds=60)
"""How long a run counts as watched after somebody has looked."""

THOROUGH_EVERY = timedelta(seconds=10)
"""How often a feed looks for what became visible late, when nothing newer comes."""


class Told(Struct, frozen=True):
    """An event as watchers get it.

    Attributes:
        place: After the event, to go on from; None for what is not kept: text that is being written.
        event: As JSON.
    """

    place: Place | None
    event: Mapping[str, Any]


class News(Struct, frozen=True):
    """What one look has found.

    Attributes:
        run: As it was before the look.
        is_over: The run has ended, and everything has been told.
    """

    run: Run
    told: tuple[Told, ...]
    is_over: bool


class Feed:
    """What happens in a run, look by look."""

    def __init__(self, engine: Engine, run: str, place: Place, *, shows_writing: bool) -> None:
        self._engine = engine
        self._run = run
        self._tail = JournalTail(engine.repository, run, place)
        self._live = LiveReading(engine.repository, run) if shows_writing else None
        self._last_thorough: datetime | None = None

    def look(self) -> News:
        """What is new since the last look.

        Raises:
            StoreUnavailable: The store could not be reached.
        """
        now = self._engine.clock.now()
        run = watched(self._engine, self._run, mark=self._live is not None)
        is_settled = run.closed and run.status != "undoing"
        thorough = is_settled or self._last_thorough is None or now - self._last_thorough >= THOROUGH_EVERY
        if thorough:
            self._last_thorough = now
        live = self._live.read() if self._live is not None and not is_settled else ()
        found = self._tail.read(thorough=thorough)
        told = [*(Told(None, delta) for delta in live), *(Told(place, event.as_json()) for place, event in found)]
        return News(run, tuple(told), is_over=is_settled and not told)


def watched(engine: Engine, run_id: str, *, mark: bool = True) -> Run:
    """The run as it is now, marked as watched while it is open.

    The mark is renewed at half its time: rarely enough to be in nobody's way.

    Args:
        mark: False leaves the run as it is.
    """
    loaded = engine.repository.load((run_path(run_id),))
    run = loaded.documents[run_path(run_id)]
    assert isinstance(run, Run)
    now = engine.clock.now()
    if not mark or run.closed or (run.watched_until is not None and run.watched_until > now + WATCHED_FOR / 2):
        return run
    marked = run.evolve(watched_until=now + WATCHED_FOR)
    try:
        engine.repository.commit(loaded, (Put(run_path(run_id), marked),))
    except EntracteError:  # somebody else wrote the run, or the store is busy: the next look tries again
        return run
    return marked


class RunEvents:
    """Feeds of runs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def feed(self, run: Run, place: Place = START, *, shows_writing: bool = True) -> Feed:
        """What happens in a run after a place. The caller has seen to it that whoever asks may read the run.

        Args:
            shows_writing: Also what models are writing, for which the run is marked as watched.
        """
        return Feed(self._engine, run.id, place, shows_writing=shows_writing)
