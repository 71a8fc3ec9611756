"""Typed documents over the store port: decoding, field masks, revisions, and payloads too large to lie inline."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, field

from entracte.core import transitions
from entracte.core.addresses import chunk_path, kind_of
from entracte.core.documents.base import SCHEMA, Document
from entracte.core.documents.payload_fields import payload_fields
from entracte.core.outcome import Put
from entracte.core.payload import MAX_BYTES, readable
from entracte.errors import AmbiguousCommit, CorruptDocument, NewerSchema, StaleWrite, TerminalError
from entracte.ports.store import Create, Delete, Query, Store, Stored, Update, Verify, Version, Write

CHUNK_BYTES = 600_000
"""Bytes of a payload in one chunk document; Firestore allows 1 MiB a document."""

_CHUNKS_A_COMMIT = 4

_MAX_CHUNKS = -(-MAX_BYTES // CHUNK_BYTES)

_SHA256 = re.compile(r"[0-9a-f]{64}")

CHUNK_DUE = timedelta(days=1)
"""After this, sweep looks whether what a chunk belongs to is there: no commit takes so long."""

_NESTING = (dict, list, tuple)


class Loaded(Struct):
    """Documents of one delivery, with the versions that their next write must find.

    Attributes:
        asked: Every path that was read or written; one without a document does not exist.
        end: Where the next page of the query begins; None on its last.
        stale: A commit of ours went through, but its new versions are not known: read again before the next write.
        failure: What the store said of a commit that did not go through, where no race was the reason.
    """

    documents: dict[str, Document] = {}
    versions: dict[str, Version] = {}
    asked: set[str] = field(default_factory=set)
    end: tuple[Any, str] | None = None
    stale: bool = False
    failure: AmbiguousCommit | None = None

    def add(self, more: Loaded) -> None:
        self.documents |= more.documents
        self.versions |= more.versions
        self.asked |= more.asked


class Repository:
    """Loads and commits documents. One load and one commit are one round trip each, unless a payload is spilled.

    Args:
        now: Tells when a chunk is written, so that sweep finds those that no commit came to refer to.
    """

    def __init__(self, store: Store, now: Callable[[], datetime] | None = None) -> None:
        self._store = store
        self._now = now

    def load(self, paths: Iterable[str], *, whole: bool = True) -> Loaded:
        """Read documents; absent ones are absent from the answer.

        Args:
            whole: As for `query`.

        Raises:
            NewerSchema, CorruptDocument: One of them cannot be read by this version.
        """
        wanted = tuple(dict.fromkeys(paths))
        loaded = self._decoded(self._store.load(wanted).values(), whole=whole)
        loaded.asked.update(wanted)
        return loaded

    def query(
        self,
        query: Query,
        *,
        unreadable: list[TerminalError] | None = None,
        whole: bool = True,
        max_bytes: int | None = None,
    ) -> Loaded:
        """Read documents by query, in its order.

        Args:
            max_bytes: Of payloads. The page ends before its limit rather than to have more, with a document at least.
            unreadable: Takes what is wrong with those that this version cannot read, which are then passed over.
            whole: Also read the payloads that lie in chunks. Without, these have no text.

        Raises:
            NewerSchema, CorruptDocument: One of them cannot be read, and there is no list to say so.
        """
        found = self._store.query(query)
        fitting = found if max_bytes is None else found[: _fitting(found, max_bytes)]
        loaded = self._decoded(fitting, unreadable, whole=whole)
        if len(found) == query.limit or len(fitting) < len(found):
            last = fitting[-1]
            loaded.end = (last.fields.get(query.order_by) if query.order_by else None, last.path)
        return loaded

    def found(self, query: Query) -> Sequence[Stored]:
        """Documents as they are stored, whether this version can read them or not."""
        return self._store.query(query)

    def exist(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths at which there is a document."""
        return frozenset(self._store.load(tuple(dict.fromkeys(paths))))

    def delete(self, paths: Iterable[str], *, unchanged: Mapping[str, Version] | None = None) -> None:
        """Remove documents, all or none.

        Args:
            unchanged: Documents that must still be at these versions, be they among those removed or not.

        Raises:
            StaleWrite: One of them is not.
        """
        relied_on = dict(unchanged or {})
        deletes = [Delete(path, relied_on.pop(path, None)) for path in paths]
        self._store.commit([*(Verify(path, version) for path, version in relied_on.items()), *deletes])

    def settle_chunks(self, chunks: Iterable[Stored]) -> None:
        """Chunks that something refers to: nobody needs to look at them again."""
        if updates := [Update(chunk.path, {"due": None}, chunk.version) for chunk in chunks]:
            self._store.commit(updates)

    def commit(
        self, loaded: Loaded, puts: Iterable[Put], verifies: Iterable[str] = (), *, removes: Iterable[str] = ()
    ) -> None:
        """Write all or nothing, and bring `loaded` to what is stored now.

        Args:
            removes: Paths of documents to remove, whatever they are by now.

        Raises:
            StaleWrite, AmbiguousCommit, StoreUnavailable: As the store port says.
        """
        writes: list[Write] = []
        after: dict[str, Document] = {}
        for put in puts:
            before = loaded.documents.get(put.path)
            document = put.document.evolve(rev=(before.rev if before is not None else 0) + 1)
            transitions.check(before, document)
            if before is None:
                writes.append(Create(put.path, self._spilled(put.path, document.encoded())))
            else:
                fields = self._spilled(put.path, document.changed_from(before))
                writes.append(Update(put.path, fields, loaded.versions[put.path]))
            after[put.path] = document
        for path in verifies:
            if path not in after:
                if path not in loaded.versions:
                    raise StaleWrite(f"{path} was relied on but is not there.")
                writes.append(Verify(path, loaded.versions[path]))
        gone = tuple(removes)
        versions = self._store.commit([*writes, *map(Delete, gone)])
        for path in gone:
            loaded.documents.pop(path, None)
            loaded.versions.pop(path, None)
        loaded.documents |= after
        loaded.versions |= versions
        loaded.asked |= after.keys()

    def remove(self, path: str) -> None:
        """Remove a document, whatever it is by now."""
        self._store.commit([Delete(path)])

    def _decoded(
        self, stored: Iterable[Stored], unreadable: list[TerminalError] | None = None, *, whole: bool = True
    ) -> Loaded:
        found = list(stored)
        wanted, wrong = _wanted_chunks(found) if whole else ((), {})
        chunks = self._store.load(wanted) if wanted else {}
        loaded = Loaded()
        for doc in found:
            try:
                if doc.path in wrong:
                    raise wrong[doc.path]
                fields = _inflated(doc.path, doc.fields, chunks) if wanted else doc.fields
                loaded.documents[doc.path] = kind_of(doc.path).read(doc.path, fields)
            except (NewerSchema, CorruptDocument) as error:
                if unreadable is None:
                    raise
                unreadable.append(error)
                continue
            loaded.versions[doc.path] = doc.version
        return loaded

    def _spilled(self, path: str, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields, with large payloads written into chunks first: a commit never points at what is not there."""
        inline_bytes = kind_of(path).inline_bytes
        for payload in _payloads(path, fields):
            if payload["size_bytes"] > inline_bytes and payload["text"]:
                raw = payload["text"].encode()
                parts = [raw[start : start + CHUNK_BYTES] for start in range(0, len(raw), CHUNK_BYTES)]
                payload["text"], payload["chunks"] = "", len(parts)
                self._write_chunks(dict(zip(_chunk_paths(path, payload), parts, strict=True)))
        return fields

    def _write_chunks(self, parts: Mapping[str, bytes]) -> None:
        there = self._store.load(tuple(parts))  # immutable and named by their hash: what is there is right
        due = {"due": self._now() + CHUNK_DUE} if self._now is not None else {}
        missing = [
            Create(path, {"schema_version": SCHEMA, "data": data} | due)
            for path, data in parts.items()
            if path not in there
        ]
        for start in range(0, len(missing), _CHUNKS_A_COMMIT):
            self._store.commit(missing[start : start + _CHUNKS_A_COMMIT])


def _payloads(path: str, fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every encoded payload within a document's encoded fields. State, the largest of them, has none."""
    for name in payload_fields(kind_of(path)):
        if type(value := fields.get(name)) in _NESTING:
            yield from _payloads_in(value)


def _payloads_in(value: Any) -> Iterator[dict[str, Any]]:
    if type(value) is dict:
        if "sha256" in value and "size_bytes" in value:
            yield value
        else:
            for item in value.values():
                if type(item) in _NESTING:  # most fields are not: spare them the call
                    yield from _payloads_in(item)
    elif type(value) in _NESTING:
        for item in value:
            yield from _payloads_in(item)


def _fitting(found: Sequence[Stored], max_bytes: int) -> int:
    """How many of the documents, from the first on, have payloads of so many bytes; 1 at least."""
    left = max_bytes
    for number, doc in enumerate(found):
        sizes = [payload["size_bytes"] for payload in _payloads(doc.path, doc.fields)]
        left -= sum(size for size in sizes if type(size) is int)  # somebody may have edited it
        if left < 0 and number:
            return number
    return len(found)


def _wanted_chunks(found: Iterable[Stored]) -> tuple[tuple[str, ...], dict[str, CorruptDocument]]:
    """Where the spilled payloads of documents lie; and what is wrong with documents of which that cannot be said."""
    wanted: dict[str, None] = {}
    wrong: dict[str, CorruptDocument] = {}
    for doc in found:
        try:
            for payload in _payloads(doc.path, doc.fields):
                wanted |= dict.fromkeys(_chunk_paths(doc.path, payload))
        except CorruptDocument as error:
            wrong[doc.path] = error
    return tuple(wanted), wrong


def _chunk_paths(path: str, payload: Mapping[str, Any]) -> list[str]:
    """Where the chunks of a payload lie.

    Raises:
        CorruptDocument: Somebody has edited what tells it.
    """
    sha256, chunks = payload["sha256"], payload.get("chunks", 0)
    if type(chunks) is not int or not 0 <= chunks <= _MAX_CHUNKS:
        raise CorruptDocument(f"{path}: a payload has {readable(repr(chunks), 80)} chunks; 0 to {_MAX_CHUNKS} can be.")
    if chunks and not (isinstance(sha256, str) and _SHA256.fullmatch(sha256)):
        raise CorruptDocument(f"{path}: the hash of a payload is {readable(repr(sha256), 80)}.")
    return [chunk_path(path, sha256, number) for number in range(chunks)]


def _inflated(path: str, value: Any, chunks: Mapping[str, Stored]) -> Any:
    """The value with the text of spilled payloads put back."""
    match value:
        case Mapping() if value.get("chunks") and "sha256" in value:
            parts = [chunks.get(part) for part in _chunk_paths(path, value)]
            if None in parts:
                raise CorruptDocument(f"{path}: a chunk of the payload {value['sha256'][:12]}… is missing.")
            try:
                text = b"".join(part.fields["data"] for part in parts if part is not None).decode()
            except (KeyError, TypeError, UnicodeDecodeError) as error:
                raise CorruptDocument(f"{path}: a chunk of {value['sha256'][:12]}… is not what was written.") from error
            return {**value, "text": text, "chunks": 0}
        case Mapping():
            return {name: _inflated(path, item, chunks) for name, item in value.items()}
        case list() | tuple():
            return [_inflated(path, item, chunks) for item in value]
        case _:
            return value
