"""The store port: documents by path, optimistic commits, simple queries.

Paths alternate collection and id, as in Firestore: ``runs/{run}/frames/{frame}``. Field values are what Firestore has
natively: str, int, float, bool, None, bytes, aware datetime (UTC, milliseconds), vector, and lists and maps of these
(no list directly inside a list). Fields are top-level names, plain identifiers; deeper maps are values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from entracte.core.vector import Vector

INDEX_MISSING = "index_missing"
"""Code of the ConfigurationError of a query that a store would need an index for, and has none."""

Version = int
"""Mark of one state of one document. Every write that changes the document gives it another one, which was never there
before; so writers change something, such as a `rev`, in every write. Of two commits, the later gives the larger one."""

MAX_COMMIT_BYTES = 4 * 1024 * 1024
"""A commit larger than this is refused by Firestore's emulator (production allows 10 MiB)."""

MAX_COMMIT_WRITES = 500


class Stored(Struct, frozen=True, kw_only=True):
    """A document as it was when it was read."""

    path: str
    fields: Mapping[str, Any]
    version: Version


class Create(Struct, frozen=True):
    """Write a document that must not exist yet."""

    path: str
    fields: Mapping[str, Any]


class Update(Struct, frozen=True):
    """Replace the named top-level fields of a document that must still be at `version`. Other fields stay."""

    path: str
    fields: Mapping[str, Any]
    version: Version


class Verify(Struct, frozen=True):
    """Change nothing, but refuse the whole commit unless the document is still at `version`."""

    path: str
    version: Version


class Delete(Struct, frozen=True):
    """Remove a document that must still be at `version`.

    Without one, whatever its version: removing a document that is not there is no error then.
    """

    path: str
    version: Version | None = None


Write = Create | Update | Verify | Delete

Op = Literal["==", "<=", ">=", "<", ">", "in", "has"]
"""`has`: the field is a list that holds the value, a text."""


class Where(Struct, frozen=True):
    """One condition. It holds only for values of the same kind: no text is more than a number, 1 is not True, and
    what a document lacks equals nothing. ``in`` takes 1 to 30 values.
    """

    field: str
    op: Op
    value: Any


class Near(Struct, frozen=True):
    """Documents whose field holds a vector of the same length, the one of the smallest angle to this one first."""

    field: str
    vector: Vector


class Query(Struct, frozen=True, kw_only=True):
    """Documents of one collection, or of all collections of that name.

    Attributes:
        collection: Last-but-one part of the paths, such as ``frames``.
        parent: Path of the document that the collection hangs under; None takes all collections of that name.
        where: Conditions that all hold. A field may hold a map: ``metadata.ticket`` looks inside it.
        order_by: Field to sort by; documents that lack it, or have None in it, are left out. Ties are sorted by path,
            part by part. Empty: the field of the inequality if there is one, else by path. An inequality is answered
            in the order of its own field only. Values of one field should be of one kind.
        descending: Turns both around; only with a field to sort by.
        limit: Largest number of documents returned, 1 to 1000.
        after: ``(value of the field sorted by, path)`` of the last document of the page before, or None. Only the
            path counts where documents are sorted by path.
        near: Give the nearest to a vector, within one collection. Then conditions are ``==`` only, and there is no
            `order_by` and no `after`.
    """

    collection: str
    parent: str | None = None
    where: tuple[Where, ...] = ()
    order_by: str = ""
    descending: bool = False
    limit: int = 100
    after: tuple[Any, str] | None = None
    near: Near | None = None


class Store(Protocol):
    """Where everything lives that must outlive a function."""

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        """Read documents in one round trip. Absent ones are absent from the answer.

        Raises:
            StoreUnavailable: The store could not be reached.
        """
        ...

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        """Do all of the writes or none, and give the new version of each document created or updated.

        Raises:
            StaleWrite: A `Create` found a document, or a write with a version another one or none.
            AmbiguousCommit: No answer came; it may or may not have been committed.
            StoreUnavailable: The store could not be reached.
            InvalidInput: A value that Firestore would refuse, a document twice, a commit over `MAX_COMMIT_BYTES` or
                `MAX_COMMIT_WRITES` (`entracte.ports.storable`).
        """
        ...

    def query(self, query: Query) -> Sequence[Stored]:
        """Documents that satisfy the query, in its order, in one round trip.

        Raises:
            StoreUnavailable: The store could not be reached.
            InvalidInput: A query that some store could not answer (`entracte.ports.answerable`).
        """
        ...

    def close(self) -> None:
        """Let go of connections and files. Closing twice is no error."""
        ...
