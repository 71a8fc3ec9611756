"""Writes as messages of a commit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, assert_never

from google.cloud.firestore_v1 import types

from entracte.adapters.gcp.firestore.values import encode_fields
from entracte.ports.store import Create, Delete, Update, Verify, Version, Write

_CommitRequest: Final = types.CommitRequest.pb()

_NANOS = 1_000_000_000


def commit_request(database: str, documents: str, writes: Sequence[Write]) -> types.CommitRequest:
    """A commit of storable writes.

    Args:
        documents: What the names of all documents begin with.
    """
    request = _CommitRequest(database=database)
    for write in writes:
        _fill(request.writes.add(), f"{documents}/{write.path}", write)
    wrapped: types.CommitRequest = types.CommitRequest.wrap(request)
    return wrapped


def version(update_time: Any) -> int:
    """A document's version: its update time in nanoseconds, which Firestore makes different for each change."""
    return int(update_time.seconds) * _NANOS + int(update_time.nanos)


def _fill(target: Any, name: str, write: Write) -> None:
    match write:
        case Create(_, fields):
            target.update.name = name
            encode_fields(target.update.fields, fields)
            target.current_document.exists = False
        case Update(_, fields, expected):
            target.update.name = name
            encode_fields(target.update.fields, fields)
            target.update_mask.field_paths.extend(fields)
            _expect(target, expected)
        case Verify(_, expected):
            target.update.name = name
            target.update_mask.SetInParent()  # a mask that names nothing: nothing is changed
            _expect(target, expected)
        case Delete(_, wanted):
            target.delete = name
            if wanted is not None:
                _expect(target, wanted)
        case _:
            assert_never(write)


def _expect(target: Any, expected: Version) -> None:
    if not isinstance(expected, int):
        raise TypeError(f"{expected!r} is no version of a document in Firestore")
    update_time = target.current_document.update_time
    update_time.seconds, update_time.nanos = divmod(expected, _NANOS)
