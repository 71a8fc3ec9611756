"""Erasing an owner: all that is kept of them, and nothing of anybody else's.

It may be broken off anywhere and asked for again: parts go before what they are found by, and what has gone is not
looked for.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, get_args

from msgspec import Struct, field

from entracte.core.documents.run import CLOSED, Status
from entracte.core.gates.people import person
from entracte.errors import Conflict, InvalidInput, StaleWrite
from entracte.ports.store import Query, Stored, Version
from entracte.runtime.engine import queries
from entracte.runtime.engine.engine import Engine
from entracte.runtime.engine.process import LEASE_MARGIN
from entracte.runtime.engine.repository import Repository
from entracte.runtime.upkeep.belongings import PAGE, Paths, below_run, of_gates, of_owner, of_session, pages

log = logging.getLogger("entracte")

OPEN: tuple[Status, ...] = (*sorted({*get_args(Status)} - CLOSED), "undoing")
"""A run in one of these may still have effects."""

WHOLES_A_PAGE = 20
MAX_NAMED = 20
"""Open runs that are named."""

ERASE_S = 20
"""Seconds that one request takes, of the 30 that clients wait; the next one goes on."""


class Erasure(Struct):
    """What is kept of an owner, or what of it was deleted.

    Attributes:
        open: Runs that stand in the way: they are open, or calls of theirs are under way.
        counts: Documents by collection.
        complete: There is nothing else; False when the time was over.
    """

    owner: str
    dry_run: bool
    open: tuple[str, ...] = ()
    counts: Counter[str] = field(default_factory=Counter)
    complete: bool = False

    @property
    def json(self) -> dict[str, Any]:
        """As callers see it."""
        return {
            "owner": self.owner,
            "dry_run": self.dry_run,
            "open": list(self.open),
            "counts": dict(sorted(self.counts.items())),
            "complete": self.complete,
        }


def erase(engine: Engine, owner: str, *, dry_run: bool, by: str) -> Erasure:
    """Delete all that is kept of an owner, page by page, for as long as a request may take; or count it.

    Args:
        dry_run: Delete nothing.
        by: Operator who asks.

    Raises:
        InvalidInput: No owner is named.
        Conflict: One of their runs is open, or something of theirs moved meanwhile.
    """
    if not (owner := person(owner.strip())):
        raise InvalidInput("No owner is named.", remedy="Name whose data it is.", pointer="/owner")
    found = Erasure(owner, dry_run, _in_the_way(engine, owner))
    if found.open and not dry_run:
        raise Conflict(
            f"Runs of {owner} are open, or calls of theirs are under way: {', '.join(found.open)}.",
            remedy="Cancel them, and wait until their calls have ended.",
            code="runs_open",
        )
    _go_through(engine, found)
    if not dry_run:  # who did it is kept, of whom is not
        log.info("erased operator=%s documents=%d complete=%s", by, found.counts.total(), found.complete)
    return found


def _go_through(engine: Engine, found: Erasure) -> None:
    until = engine.clock.now() + timedelta(seconds=ERASE_S)
    try:
        for paths, unchanged in _all_of(engine, found):
            if engine.clock.now() >= until:
                return
            if not found.dry_run:
                engine.repository.delete(paths, unchanged=unchanged)
            found.counts.update(path.rsplit("/", 2)[-2] for path in paths)
    except StaleWrite:
        raise Conflict(
            f"Something of {found.owner} is moving. {found.counts.total()} documents are deleted.",
            remedy="Cancel what is open, wait until calls have ended, and ask again.",
            code="owner_active",
        ) from None
    found.complete = True


def _all_of(engine: Engine, found: Erasure) -> Iterator[tuple[Paths, Mapping[str, Version]]]:
    """Everything of an owner's in pages, each with what must be as it was found when the page is deleted.

    Raises:
        StaleWrite: A call may be under way of what is to be deleted.
    """
    repository, owner = engine.repository, found.owner
    for paths in of_gates(repository, queries.gates_of(owner, "", limit=PAGE, after=None)):  # of runs that went, too
        yield paths, {}
    for run in _each(repository, queries.runs_of(owner, {}, limit=WHOLES_A_PAGE, after=None)):
        if not found.dry_run and _is_busy(engine, run):
            raise StaleWrite(f"A call of {run.path} may be under way.")
        yield from _with_parts(run, below_run(repository, _id(run)))
    for session in _each(repository, queries.sessions_of(owner, limit=WHOLES_A_PAGE)):
        yield from _with_parts(session, of_session(repository, _id(session)))
    for page in pages(repository, queries.latest_calls_of(owner, limit=PAGE)):
        yield [call.path for call in page], {}
    for paths in of_owner(repository, owner):
        yield paths, {}


def _with_parts(whole: Stored, parts: Iterator[Paths]) -> Iterator[tuple[Paths, Mapping[str, Version]]]:
    found = {whole.path: whole.version}
    for paths in parts:
        yield paths, found
    yield [whole.path], found


def _in_the_way(engine: Engine, owner: str) -> tuple[str, ...]:
    """Runs that may still have effects, the latest of each status; the others are met on the way."""

    def latest(status: Status) -> Sequence[Stored]:
        return engine.repository.found(queries.runs_of(owner, {"status": status}, limit=MAX_NAMED, after=None))

    ended = [run for run in latest("cancelled") if _is_busy(engine, run)]
    return tuple(_id(run) for run in (*(run for status in OPEN for run in latest(status)), *ended))[:MAX_NAMED]


def _is_busy(engine: Engine, run: Stored) -> bool:
    """Whether a call of a closed run may be under way: one was begun, and no lease is that old."""
    updated, lately = run.fields.get("updated"), engine.clock.now() - engine.process.timeout - LEASE_MARGIN
    if isinstance(updated, datetime) and updated < lately:
        return False
    actions = _each(engine.repository, queries.children_of(run.path, "actions", limit=PAGE))
    return any(action.fields.get("status") in ("started", "reverting") for action in actions)


def _each(repository: Repository, query: Query) -> Iterator[Stored]:
    return chain.from_iterable(pages(repository, query))


def _id(document: Stored) -> str:
    return document.path.rpartition("/")[2]
