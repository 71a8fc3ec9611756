"""A store that counts what Firestore would charge for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from entracte.ports.store import Query, Store, Stored, Version, Write


class CountingStore:
    """Another store's answers, counted as reads: one a document, and one for a query that finds nothing.

    See https://firebase.google.com/docs/firestore/pricing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.reads = 0
        self.queries = 0

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        self.reads += len(paths)
        return self._store.load(paths)

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        return self._store.commit(writes)

    def query(self, query: Query) -> Sequence[Stored]:
        found = self._store.query(query)
        self.queries += 1
        self.reads += max(1, len(found))
        return found

    def close(self) -> None:
        self._store.close()
