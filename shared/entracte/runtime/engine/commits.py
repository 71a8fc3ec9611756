"""Commit, tell observers, publish: the one way in which outcomes take effect."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from entracte.core.addresses import entry_path
from entracte.core.documents.action import Action
from entracte.core.documents.journal import Entry
from entracte.core.events import Event, events_of
from entracte.core.outcome import Outcome, Put
from entracte.errors import AmbiguousCommit, StaleWrite
from entracte.ports.bus import Bus
from entracte.ports.clock import Clock
from entracte.runtime.engine.process import Process
from entracte.runtime.engine.repository import Loaded, Repository


class Commits:
    """Commits outcomes, and recognises its own commits when the store's answer was lost."""

    def __init__(
        self, repository: Repository, bus: Bus, clock: Clock, process: Process, observe: Callable[[Event], None]
    ) -> None:
        self._repository = repository
        self._bus = bus
        self._clock = clock
        self._new_token = process.new_token
        self._observe = observe

    def commit(self, loaded: Loaded, outcome: Outcome, *, began: datetime) -> bool:
        """Commit, tell, publish. False when a race was lost: nothing was written, and `loaded` is out of date.

        An outcome without a journal entry writes nothing; its messages are published all the same.

        Raises:
            RetryableError: The store or the bus could not be reached, or nobody can tell what became of the commit.
        """
        entry = outcome.entry
        if entry is not None:
            took_ms = int((self._clock.now() - began).total_seconds() * 1000)
            entry = entry.evolve(token=self._new_token(), duration_ms=took_ms)
            placed = tuple(_placed(put, loaded) for put in outcome.puts)
            puts = (*placed, Put(entry_path(entry.run, entry.id), entry))
            try:
                self._repository.commit(loaded, puts, outcome.verifies)
            except (StaleWrite, AmbiguousCommit) as error:
                if not self._is_there(entry):
                    loaded.failure = error if isinstance(error, AmbiguousCommit) else None
                    return False
                loaded.stale = True
            for event in events_of(entry):  # before publishing, so that observers see causes before consequences
                self._observe(event)
        # Publish after commit: a crash here repeats the message; the reverse would lose it.
        if outcome.messages:
            self._bus.publish(outcome.messages)
        return True

    def _is_there(self, entry: Entry) -> bool:
        """Whether the commit that seemed to fail has succeeded: the entry that is there carries our token."""
        path = entry_path(entry.run, entry.id)
        found = self._repository.load((path,)).documents.get(path)
        return isinstance(found, Entry) and found.token == entry.token


def _placed(put: Put, loaded: Loaded) -> Put:
    """The put, with the place of an action's effect if its call was begun in this delivery."""
    action = put.document
    if not isinstance(action, Action):
        return put
    order = loaded.versions.get(entry_path(action.run, f"{action.id}.{action.attempt}.started"), action.order)
    return put if order == action.order else Put(put.path, action.evolve(order=order))
