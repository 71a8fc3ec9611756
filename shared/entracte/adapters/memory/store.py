"""The store in memory: for tests, simulations and trials. Nothing outlives the process."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, assert_never

from entracte.adapters.memory.select import select
from entracte.core.paths import check_document, split
from entracte.errors import StaleWrite
from entracte.ports.answerable import answerable
from entracte.ports.storable import SAFE_BYTES, measured, storable_writes
from entracte.ports.store import Create, Delete, Query, Stored, Update, Verify, Version, Write


class _Kept(NamedTuple):
    """One state of a document. Never changed, only replaced, so that it may be read without the lock.

    Attributes:
        version: Number of the commit that wrote it.
        at_most_bytes: Upper bound of the fields' size. Updates add to it without measuring the whole again.
    """

    fields: Mapping[str, Any]
    version: int
    at_most_bytes: int


class MemoryStore:
    """Documents in a dictionary."""

    def __init__(self) -> None:
        self._documents: dict[str, _Kept] = {}
        self._paths: defaultdict[str, set[str]] = defaultdict(set)  # by collection
        self._commits = 0
        self._lock = threading.Lock()

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        for path in paths:
            check_document(path)
        with self._lock:
            found = {path: self._documents[path] for path in paths if path in self._documents}
        return {path: _copy(path, kept) for path, kept in found.items()}

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        storable = storable_writes(writes)
        with self._lock:
            version = self._commits + 1
            # Everything that can fail comes first: all of the writes or none.
            after = {write.path: self._after(write, size, version) for write, size in storable}
            for path, kept in after.items():
                self._put(path, kept)
            self._commits = version
        return {write.path: version for write in writes if isinstance(write, (Create, Update))}

    def query(self, query: Query) -> Sequence[Stored]:
        query = answerable(query)
        with self._lock:
            documents = {path: self._documents[path] for path in self._paths[query.collection]}
        chosen = select(query, {path: kept.fields for path, kept in documents.items()})
        return [_copy(path, documents[path]) for path in chosen]

    def close(self) -> None:
        pass

    def copy(self) -> MemoryStore:
        """The same documents at the same versions, in a store of their own."""
        other = MemoryStore()
        with self._lock:
            other._documents = dict(self._documents)  # what it holds is never changed, only replaced
            other._paths = defaultdict(set, {collection: set(paths) for collection, paths in self._paths.items()})
            other._commits = self._commits
        return other

    def _after(self, write: Write, size: int, version: int) -> _Kept | None:
        """The document as the write leaves it, or None for no document.

        Raises:
            StaleWrite: It is not in the state that the write relies on.
        """
        before = self._documents.get(write.path)
        match write:
            case Create(path, fields):
                if before:
                    raise StaleWrite(f"{path} exists already.")
                return _Kept(fields, version, size)
            case Update(path, _, expected) | Verify(path, expected):
                if before is None or before.version != expected:
                    raise StaleWrite(f"{path} has changed since it was read.")
                if isinstance(write, Verify):
                    return before
                fields, size = {**before.fields, **write.fields}, before.at_most_bytes + size
                return _Kept(fields, version, size if size <= SAFE_BYTES else measured(path, fields))
            case Delete(path, wanted):
                if wanted is not None and (before is None or before.version != wanted):
                    raise StaleWrite(f"{path} has changed since it was read.")
                return None
            case _:
                assert_never(write)

    def _put(self, path: str, kept: _Kept | None) -> None:
        _, collection, _ = split(path)
        if kept:
            self._documents[path] = kept
            self._paths[collection].add(path)
        else:
            self._documents.pop(path, None)
            self._paths[collection].discard(path)


def _copy(path: str, kept: _Kept) -> Stored:
    return Stored(path=path, fields={name: _copied(value) for name, value in kept.fields.items()}, version=kept.version)


def _copied(value: Any) -> Any:
    """What a reader may change without changing the store. Several times faster than `copy.deepcopy`."""
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    if type(value) is list:
        return [_copied(item) for item in value]
    return value
