"""Lists in pages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from msgspec import Struct

from entracte.core.documents.base import Document
from entracte.core.documents.journal import Entry
from entracte.errors import TerminalError
from entracte.ports.store import Query
from entracte.runtime.engine.repository import Repository

log = logging.getLogger("entracte")

MAX_PAGES = 100
"""Pages that are read to find all of something. Nothing has so many that was not made to be in the way."""

PAGE_BYTES = 16 * 1024 * 1024
"""Of payloads on one page: one document may have a few megabytes, and two hundred would not fit into an instance."""

Place = tuple[Any, str]
"""Where a page begins."""

T = TypeVar("T")
D = TypeVar("D", bound=Document)


class Page(Struct, Generic[T], frozen=True):
    """Part of a list.

    Attributes:
        after: Where the next page begins; None on the last.
        unreadable: How many were left out, since this version cannot read them.
    """

    items: tuple[T, ...]
    after: Place | None
    unreadable: int = 0


def page_of(repository: Repository, query: Query, kind: type[D], *, passing_over: bool = False) -> Page[D]:
    """The documents that a query finds, and where the next page begins. There may be fewer than were asked for.

    A journal's entries of one millisecond come in the order of their commits. Other documents are written again later,
    so that their version does not tell when they were created: there, equals stay in the order of their paths.

    Args:
        passing_over: Leave out what cannot be read; the log says what is wrong with it. Otherwise that is an error.
    """
    unreadable: list[TerminalError] | None = [] if passing_over else None
    loaded = repository.query(query, max_bytes=PAGE_BYTES, unreadable=unreadable)
    for fault in unreadable or ():
        log.warning("list_left_out %s", fault)
    items = [(path, doc) for path, doc in loaded.documents.items() if isinstance(doc, kind)]
    if issubclass(kind, Entry) and query.order_by and not query.descending:
        items.sort(key=lambda item: (getattr(item[1], query.order_by), loaded.versions[item[0]]))
    return Page(tuple(doc for _, doc in items), loaded.end, len(unreadable or ()))


def all_of(
    repository: Repository, page: Callable[[Place | None], Query], kind: type[D], *, passing_over: bool = False
) -> Iterator[D]:
    """All documents that a query finds, in its order, however many pages they fill.

    Args:
        page: The query of the page that begins there; with None, of the first.
        passing_over: As for `page_of`.
    """
    after = None
    for _ in range(MAX_PAGES):
        found = page_of(repository, page(after), kind, passing_over=passing_over)
        yield from found.items
        if (after := found.after) is None:
            return
