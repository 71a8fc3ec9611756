"""What lies below a run, a session or an owner: page by page, in the order in which it is deleted.

Parts come before what they are found by, so that a deletion that is broken off is gone on with from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from entracte.core.addresses import memory_index_path, run_path, session_path, shelf_path, spending_path, vault_path
from entracte.ports.store import Query, Stored
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository

RUN_PARTS = ("live", "frames", "actions", "chunks", "journal")
"""Collections under a run; the journal goes last, so that what is half deleted can still be recounted."""

SHELF_PARTS = ("artifacts", "chunks")
SESSION_PARTS = (*SHELF_PARTS, "turns")

PAGE = 50  # a call may have a megabyte
CHUNKS_A_PAGE = 10  # each has up to 600 KB

Paths = Sequence[str]


def of_run(repository: Repository, run: str) -> Iterator[Paths]:
    """A run's gates, and all that lies under it."""
    yield from of_gates(repository, queries.gates_of_run(run, limit=PAGE))
    yield from below_run(repository, run)


def below_run(repository: Repository, run: str) -> Iterator[Paths]:
    """All that lies under a run."""
    yield from _below(repository, run_path(run), RUN_PARTS)


def of_gates(repository: Repository, query: Query) -> Iterator[Paths]:
    """Gates with their chunks."""
    for page in pages(repository, query):
        for gate in page:
            yield from _below(repository, gate.path, ("chunks",))
        yield [gate.path for gate in page]


def of_session(repository: Repository, session: str) -> Iterator[Paths]:
    """All that lies under a session."""
    yield from _below(repository, session_path(session), SESSION_PARTS)


def of_owner(repository: Repository, owner: str) -> Iterator[Paths]:
    """What is an owner's besides runs, gates and sessions; what the others may refer to goes last."""
    yield from _below(repository, shelf_path(owner), SHELF_PARTS)
    yield from _below(repository, memory_index_path(owner), ("items",))
    yield from _below(repository, vault_path(owner), ("sealed",))
    own = repository.exist((memory_index_path(owner), spending_path(owner)))
    if own:
        yield sorted(own)


def pages(repository: Repository, query: Query) -> Iterator[Sequence[Stored]]:
    """All that a query finds, whether this version can read it or not. A page may be deleted before the next."""
    while page := repository.found(query):
        yield page
        if len(page) < query.limit:
            return
        last = page[-1]
        query = replace(query, after=(last.fields[query.order_by] if query.order_by else None, last.path))


def _below(repository: Repository, parent: str, kinds: Sequence[str]) -> Iterator[Paths]:
    for kind in kinds:
        limit = CHUNKS_A_PAGE if kind == "chunks" else PAGE
        for page in pages(repository, queries.children_of(parent, kind, limit=limit)):
            yield [document.path for document in page]
