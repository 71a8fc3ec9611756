"""Retention: what was kept long enough is deleted, children first, in bounded pages.

A run is deleted only while nothing of it can move: it has been closed for its whole time, and retry and undo refuse a
run whose time is over. Each page is deleted on condition that the run is still as it was found.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from entracte.core.documents.run import Run
from entracte.errors import StaleWrite, TerminalError
from entracte.ports.store import Stored, Version
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository

log = logging.getLogger("entracte")

CHILDREN = ("live", "frames", "actions", "chunks", "journal")
"""Collections under a run; the journal goes last, so that what is half deleted can still be recounted."""

ALONE = ("letters", "latest_calls")
"""Collections whose documents belong to no run, and are of no use to anybody after their time."""

RUNS_A_PAGE = 20
CHUNKS_A_PAGE = 10  # each has up to 600 KB
PAGE = 200

GRACE = timedelta(hours=1)
"""After its time: clocks differ, and whoever was about to retry the run has done so."""


class Retention:
    """Deletes what has expired, and chunks that no document came to refer to."""

    def __init__(self, repository: Repository, is_over: Callable[[], bool]) -> None:
        self._repository = repository
        self._is_over = is_over

    def run(self, now: datetime) -> int:
        """Delete until nothing is left or the time is over. Gives how many documents that stand alone are gone."""
        gone = self._delete_runs(now)
        return gone + sum(self._delete_old(kind, now) for kind in ALONE) + self._look_at_chunks(now)

    def _delete_runs(self, now: datetime) -> int:
        """Page by page; what cannot be read or is being undone is passed over."""
        gone, query = 0, queries.expired("runs", now - GRACE, limit=RUNS_A_PAGE)
        while True:
            unreadable: list[TerminalError] = []
            page = self._repository.query(query, unreadable=unreadable, whole=False)
            for fault in unreadable:
                log.warning("retention_skipped %s", fault)
            for path, run in page.documents.items():
                if self._is_over():
                    return gone
                if isinstance(run, Run) and run.closed and run.status != "undoing":
                    gone += self._delete_run(path, run, page.versions[path])
            if page.end is None:
                return gone
            query = replace(query, after=page.end)

    def _delete_run(self, path: str, run: Run, version: Version) -> int:
        """1 when it is gone, 0 when it is not, or not yet: the next sweep goes on."""
        found = {path: version}
        try:
            while gates := self._repository.found(queries.gates_of_run(run.id, limit=PAGE)):
                for gate in gates:
                    if not self._emptied(gate.path, "chunks", found):
                        return 0
                self._repository.delete([gate.path for gate in gates], unchanged=found)
            for kind in CHILDREN:
                if not self._emptied(path, kind, found):
                    return 0
            self._repository.delete([path])
        except StaleWrite:
            return 0  # somebody has undone or retried it at the last moment
        log.info("run_deleted run_id=%s", run.id)
        return 1

    def _emptied(self, parent: str, kind: str, found: dict[str, Version]) -> bool:
        limit = CHUNKS_A_PAGE if kind == "chunks" else PAGE
        while page := self._repository.found(queries.children_of(parent, kind, limit=limit)):
            if self._is_over():
                return False
            self._repository.delete([child.path for child in page], unchanged=found)
        return True

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
        found = self._repository.found(queries.due("chunks", now, limit=CHUNKS_A_PAGE))
        if not found:
            return 0
        owned = [chunk for chunk in found if not _belongs_to(chunk).startswith("shelves/")]  # no documents themselves
        there = self._repository.exist(map(_belongs_to, owned)) if owned else frozenset()
        orphans = {chunk.path for chunk in owned if _belongs_to(chunk) not in there}
        self._repository.settle_chunks(chunk for chunk in found if chunk.path not in orphans)
        if orphans:
            self._repository.delete(sorted(orphans))
        return len(orphans)


def _belongs_to(chunk: Stored) -> str:
    """Path of the run, session or gate that the chunk lies under."""
    return chunk.path.rsplit("/", 2)[0]
