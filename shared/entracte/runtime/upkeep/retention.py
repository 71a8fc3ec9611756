"""Retention: what was kept long enough is deleted, children first, in bounded pages.

A run is deleted only while nothing of it can move: it has been closed for its whole time, and retry and undo refuse a
run whose time is over. A conversation goes after its last run, unless papers lie on its desk; what is kept of an owner
besides goes after the last conversation. Each page is deleted on condition that the run or session is still as it was
found.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from msgspec.structs import replace

from entracte.core.addresses import memory_index_path, session_path, shelf_path
from entracte.core.documents.base import Document
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.outcome import Put
from entracte.errors import StaleWrite, TerminalError
from entracte.ports.store import Query, Stored, Version
from entracte.runtime.engine import queries
from entracte.runtime.engine.process import Process
from entracte.runtime.engine.repository import Loaded, Repository
from entracte.runtime.upkeep.belongings import CHUNKS_A_PAGE, PAGE, Paths, of_owner, of_run, of_session

log = logging.getLogger("entracte")

IN_TURN = ("latest_calls", "letters", "sessions")
"""Collections that may wait: each minute one of them is looked at, so that a sweep asks less."""

RUNS_A_PAGE = 20
"""Runs or sessions that are read at a time."""

GRACE = timedelta(hours=1)
"""After its time: clocks differ, and whoever was about to retry the run has done so."""


class Retention:
    """Deletes what has expired, and chunks that no document came to refer to."""

    def __init__(self, repository: Repository, process: Process, is_over: Callable[[], bool]) -> None:
        self._repository = repository
        self._process = process
        self._is_over = is_over

    def run(self, now: datetime) -> int:
        """Delete until nothing is left or the time is over. Gives how many runs, conversations, … are gone."""
        gone = self._delete_runs(now)
        match IN_TURN[int(now.timestamp() // 60) % len(IN_TURN)]:
            case "sessions":
                gone += self._look_at_sessions(now)
            case alone:
                gone += self._delete_old(alone, now)
        return gone + self._look_at_chunks(now)

    def _delete_runs(self, now: datetime) -> int:
        gone = 0
        for path, run, version in self._expired("runs", now):
            if isinstance(run, Run) and run.closed and run.status != "undoing":
                gone += self._delete(path, version, of_run(self._repository, run.id))
        return gone

    def _look_at_sessions(self, now: datetime) -> int:
        """Conversations in which nothing was said for their time: deleted, or looked at again after as long."""
        gone = 0
        for path, session, version in self._expired("sessions", now):
            if not isinstance(session, Session):
                continue
            if self._is_needed(session):
                self._look_again_later(path, session, version, now)
            elif self._delete(path, version, of_session(self._repository, session.id)):
                gone += 1
                self._forget(session.owner)
        return gone

    def _expired(self, kind: str, now: datetime) -> Iterator[tuple[str, Document, Version]]:
        """Page by page, until the time is over; what cannot be read is passed over."""
        query = queries.expired(kind, now - GRACE, limit=RUNS_A_PAGE)
        while True:
            unreadable: list[TerminalError] = []
            page = self._repository.query(query, unreadable=unreadable, whole=False)
            for fault in unreadable:
                log.warning("retention_skipped %s", fault)
            for path, document in page.documents.items():
                if self._is_over():
                    return
                yield path, document, page.versions[path]
            if page.end is None:
                return
            query = replace(query, after=page.end)

    def _delete(self, path: str, version: Version, pages: Iterator[Paths]) -> int:
        """1 when it is gone with all that belongs to it, 0 when it is not, or not yet: the next sweep goes on."""
        found = {path: version}
        try:
            for page in pages:
                if self._is_over():
                    return 0
                self._repository.delete(page, unchanged=found)
            self._repository.delete([path], unchanged=found)
        except StaleWrite:
            return 0  # somebody has undone or retried it, or goes on with it, at the last moment
        log.info("deleted path=%s", path)
        return 1

    def _is_needed(self, session: Session) -> bool:
        runs = queries.runs_of(session.owner, {"session": session.id}, limit=1, after=None)
        return self._finds(runs, queries.children_of(session_path(session.id), "artifacts", limit=1))

    def _look_again_later(self, path: str, session: Session, version: Version, now: datetime) -> None:
        after = session.evolve(expires=self._process.kept_until(now))
        with suppress(StaleWrite):  # somebody goes on with it
            self._repository.commit(Loaded({path: session}, {path: version}), (Put(path, after),))

    def _forget(self, owner: str) -> None:
        """Delete what else is kept of an owner of whom there is nothing any more that could refer to it.

        Nobody can make sure that they do not come back in this very moment. Then a masked value may be missing, and the
        call that needs it is refused.
        """
        if not self._finds(
            queries.sessions_of(owner, limit=1),
            queries.runs_of(owner, {}, limit=1, after=None),
            queries.children_of(shelf_path(owner), "artifacts", limit=1),
            queries.children_of(memory_index_path(owner), "items", limit=1),
        ):
            for page in of_owner(self._repository, owner):
                self._repository.delete(page)

    def _finds(self, *wanted: Query) -> bool:
        return any(self._repository.found(query) for query in wanted)

    def _delete_old(self, kind: str, now: datetime) -> int:
        gone = 0
        while not self._is_over() and (found := self._repository.found(queries.expired(kind, now, limit=PAGE))):
            self._repository.delete([document.path for document in found])
            gone += len(found)
        return gone

    def _look_at_chunks(self, now: datetime) -> int:
        """Chunks are written before the commit that refers to them: those of a run that never came to be are orphans.

        The others go with their run.
        """
        gone, due = 0, queries.due("chunks", now, limit=CHUNKS_A_PAGE)
        while not self._is_over() and (found := self._repository.found(due)):
            # Shelves are no documents themselves.
            owned = [chunk for chunk in found if not _belongs_to(chunk).startswith("shelves/")]
            there = self._repository.exist(map(_belongs_to, owned)) if owned else frozenset()
            orphans = {chunk.path for chunk in owned if _belongs_to(chunk) not in there}
            self._repository.settle_chunks(chunk for chunk in found if chunk.path not in orphans)
            if orphans:
                self._repository.delete(sorted(orphans))
            gone += len(orphans)
        return gone


def _belongs_to(chunk: Stored) -> str:
    """Path of the run, session or gate that the chunk lies under."""
    return chunk.path.rsplit("/", 2)[0]
