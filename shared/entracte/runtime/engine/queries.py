"""Every query that Entracte makes, in one place: each needs its index, and nothing else is indexed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from entracte.core.addresses import run_path, session_path
from entracte.core.vector import Vector
from entracte.ports.store import Near, Query, Where

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def runs_of(owner: str, filters: Mapping[str, str], *, limit: int, after: tuple[Any, str] | None) -> Query:
    """Runs of an owner, newest first. Filters: status, agent, session, ``metadata.{name}``."""
    where = (Where("owner", "==", owner), *(Where(name, "==", value) for name, value in filters.items()))
    return Query(collection="runs", where=where, order_by="created", descending=True, limit=limit, after=after)


def due(collection: str, now: datetime, *, limit: int) -> Query:
    """What sweep looks at: documents that are due."""
    return Query(collection=collection, where=(Where("due", "<=", now),), order_by="due", limit=limit)


def expired(collection: str, now: datetime, *, limit: int) -> Query:
    """What retention looks at: closed runs, conversations, and what stands alone."""
    return Query(collection=collection, where=(Where("expires", "<=", now),), order_by="expires", limit=limit)


def letters(*, limit: int, after: tuple[Any, str] | None) -> Query:
    """Messages that nobody could read, the one that came last first."""
    return Query(collection="letters", order_by="last", descending=True, limit=limit, after=after)


def children_of(path: str, collection: str, *, limit: int) -> Query:
    """What lies under a document, to be deleted with it."""
    return Query(collection=collection, parent=path, limit=limit)


def sessions_of(owner: str, *, limit: int) -> Query:
    """An owner's conversations."""
    return Query(collection="sessions", where=(Where("owner", "==", owner),), limit=limit)


def latest_calls_of(owner: str, *, limit: int) -> Query:
    """What an owner's MCP clients asked for last."""
    return Query(collection="latest_calls", where=(Where("owner", "==", owner),), limit=limit)


def edited_gates(*, limit: int) -> Query:
    """Waiting gates that carry a decision which no event has taken away."""
    where = (Where("status", "==", "waiting"), Where("decision", ">", ""))
    return Query(collection="gates", where=where, order_by="decision", limit=limit)


def moving(collection: str, *, limit: int, after: tuple[Any, str] | None) -> Query:
    """Frames or actions that have a due date at all, whenever it is: what an embedded start looks at."""
    return Query(collection=collection, where=(Where("due", ">", _EPOCH),), order_by="due", limit=limit, after=after)


def journal_of(run: str, *, limit: int, after: tuple[Any, str] | None) -> Query:
    """A run's journal, oldest first."""
    return Query(collection="journal", parent=run_path(run), order_by="at", limit=limit, after=after)


def journal_since(run: str, since: datetime | None, *, limit: int, after: tuple[Any, str] | None) -> Query:
    """A run's journal from a time on, oldest first; all of it without one."""
    where = (Where("at", ">=", since),) if since is not None else ()
    return Query(collection="journal", parent=run_path(run), where=where, order_by="at", limit=limit, after=after)


def live_of(run: str, *, limit: int) -> Query:
    """What is being written in a run just now."""
    return Query(collection="live", parent=run_path(run), limit=limit)


def frames_of(run: str, *, limit: int, after: tuple[Any, str] | None = None) -> Query:
    """All frames of a run."""
    return Query(collection="frames", parent=run_path(run), limit=limit, after=after)


def actions_of(run: str, *, limit: int, after: tuple[Any, str] | None = None) -> Query:
    """All actions of a run, in the order they were proposed."""
    return Query(collection="actions", parent=run_path(run), order_by="created", limit=limit, after=after)


def turns_of(session: str, *, limit: int, after: tuple[Any, str] | None) -> Query:
    """A session's turns, oldest first."""
    return Query(collection="turns", parent=session_path(session), order_by="number", limit=limit, after=after)


def artifacts_of(shelf: str, *, limit: int, after: tuple[Any, str] | None = None) -> Query:
    """Artifacts of a session or of an owner's shelf, the one changed last first."""
    return Query(collection="artifacts", parent=shelf, order_by="updated", descending=True, limit=limit, after=after)


def active_artifacts(shelf: str, *, limit: int) -> Query:
    """Those of them that stand in the agents' context."""
    where = (Where("active", "==", True),)
    return Query(collection="artifacts", parent=shelf, where=where, order_by="updated", descending=True, limit=limit)


def gates_of(owner: str, status: str, *, limit: int, after: tuple[Any, str] | None) -> Query:
    """Gates of an owner's runs, newest first."""
    where = (Where("z.owner", "==", owner), *((Where("status", "==", status),) if status else ()))
    return Query(collection="gates", where=where, order_by="created", descending=True, limit=limit, after=after)


def gates_for(approver: str, *, limit: int, after: tuple[Any, str] | None) -> Query:
    """Waiting gates that name an approver, newest first."""
    where = (Where("z.approvers", "has", approver), Where("status", "==", "waiting"))
    return Query(collection="gates", where=where, order_by="created", descending=True, limit=limit, after=after)


def waiting_gates(*, limit: int) -> Query:
    """Waiting gates of anybody, the oldest first: how long people are waited for."""
    return Query(collection="gates", where=(Where("status", "==", "waiting"),), order_by="created", limit=limit)


def gates_of_run(run: str, *, limit: int, after: tuple[Any, str] | None = None) -> Query:
    """The gates of a run, oldest first."""
    return Query(collection="gates", where=(Where("run", "==", run),), order_by="created", limit=limit, after=after)


def memories_of(index: str, *, limit: int, after: tuple[Any, str] | None) -> Query:
    """All that is remembered of an owner, the latest first."""
    return Query(collection="items", parent=index, order_by="created", descending=True, limit=limit, after=after)


def latest_memories(index: str, persona: str, *, limit: int) -> Query:
    """What is remembered for a persona, the latest first."""
    where = (Where("persona", "==", persona),)
    return Query(collection="items", parent=index, where=where, order_by="created", descending=True, limit=limit)


def memories_of_day(index: str, persona: str, day: str, *, limit: int) -> Query:
    """What was remembered on a day, the latest first."""
    where = (Where("persona", "==", persona), Where("day", "==", day))
    return Query(collection="items", parent=index, where=where, order_by="created", descending=True, limit=limit)


def memories_near(index: str, persona: str, embedder: str, vector: Vector, *, limit: int) -> Query:
    """What is nearest in meaning, as far as the same model has said what it means."""
    where = (Where("persona", "==", persona), Where("embedder", "==", embedder))
    return Query(collection="items", parent=index, where=where, near=Near("embedding", vector), limit=limit)
