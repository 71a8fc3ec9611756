"""Lists in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from entracte.core.documents.base import Document
from entracte.core.documents.journal import Entry
from entracte.ports.store import Query
from entracte.runtime.engine.repository import Repository

T = TypeVar("T")
D = TypeVar("D", bound=Document)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Part of a list.

    Attributes:
        after: Where the next page begins; None on the last.
    """

    items: tuple[T, ...]
    after: tuple[Any, str] | None


def page_of(repository: Repository, query: Query, kind: type[D]) -> Page[D]:
    """The documents that a query finds, and where the next page begins.

    A journal's entries of one millisecond come in the order of their commits. Other documents are written again later,
    so that their version does not tell when they were created: there, equals stay in the order of their paths.
    """
    loaded = repository.query(query)
    items = [(path, doc) for path, doc in loaded.documents.items() if isinstance(doc, kind)]
    last = items[-1] if len(items) == query.limit else None
    after = (getattr(last[1], query.order_by) if query.order_by else None, last[0]) if last else None
    if issubclass(kind, Entry) and query.order_by and not query.descending:
        items.sort(key=lambda item: (getattr(item[1], query.order_by), loaded.versions[item[0]]))
    return Page(tuple(doc for _, doc in items), after)
