"""What may be written to a store. Every adapter asks here before it does anything, so that all refuse alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from entracte.core.paths import check_document
from entracte.core.values import MAX_DOCUMENT_BYTES, plain_fields
from entracte.errors import InvalidInput
from entracte.ports.store import MAX_COMMIT_BYTES, MAX_COMMIT_WRITES, Create, Delete, Update, Verify, Write

SAFE_BYTES = MAX_DOCUMENT_BYTES - 8 * 1024
"""Fields that take no more than this make no document too large, whatever its path."""

_NAME_BYTES = 16
"""What Firestore counts for a document's name beside its path."""

_WRITE_BYTES = 300
"""What one write takes in a request beside path and fields: project, database, precondition."""


def storable_writes(writes: Sequence[Write]) -> list[tuple[Write, int]]:
    """The same writes with fields as stores keep them, sharing nothing with what was given; and the fields' bytes.

    Raises:
        InvalidInput: A value, path, size or combination that some store would refuse.
    """
    if len(writes) > MAX_COMMIT_WRITES:
        raise InvalidInput(
            f"A commit of {len(writes):,} writes; at most {MAX_COMMIT_WRITES} are possible.", code="too_large"
        )
    kept = [_storable(write) for write in writes]
    _check_paths_differ(writes)
    total = sum(size + len(write.path.encode()) + _WRITE_BYTES for write, size in kept)
    if total > MAX_COMMIT_BYTES:
        raise InvalidInput(f"A commit of {total:,} bytes; at most {MAX_COMMIT_BYTES:,} are possible.", code="too_large")
    return kept


def measured(path: str, fields: Mapping[str, Any]) -> int:
    """Bytes of a document's fields.

    Raises:
        InvalidInput: The document is larger than Firestore keeps.
    """
    return _checked_size(path, plain_fields(path, fields)[1])


def _storable(write: Write) -> tuple[Write, int]:
    check_document(write.path)
    match write:
        case Create(path, fields):
            plain, size = plain_fields(path, fields)
            return Create(path, plain), _checked_size(path, size)
        case Update(path, fields, version):
            if not fields:
                raise InvalidInput(f"An update of {path} that names no field.", remedy="Use Verify.", code="bad_commit")
            plain, size = plain_fields(path, fields)
            return Update(path, plain, version), _checked_size(path, size)
        case Verify() | Delete():
            return write, 0
        case _:
            assert_never(write)


def _check_paths_differ(writes: Sequence[Write]) -> None:
    seen: set[str] = set()
    for write in writes:
        if write.path in seen:
            raise InvalidInput(
                f"{write.path} stands twice in one commit.", remedy="Make it one write.", code="bad_commit"
            )
        seen.add(write.path)


def _checked_size(path: str, fields_bytes: int) -> int:
    size = fields_bytes + len(path.encode()) + _NAME_BYTES
    if size > MAX_DOCUMENT_BYTES:
        raise InvalidInput(
            f"{path} would have {size:,} bytes; at most {MAX_DOCUMENT_BYTES:,} can be kept.", code="too_large"
        )
    return fields_bytes
