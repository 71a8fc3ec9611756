"""Writes as SQL statements. Each gives one row if it found the document as it should be, so that none means stale."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from typing import Any, assert_never

from msgspec import Struct

from entracte.adapters.sqlite.encode import from_json, to_json
from entracte.adapters.sqlite.schema import json_path
from entracte.core.paths import split
from entracte.errors import StaleWrite
from entracte.ports.storable import SAFE_BYTES, measured
from entracte.ports.store import Create, Delete, Update, Verify, Write

_CREATE = """
    INSERT INTO documents (path, collection, parent, version, at_most_bytes, fields)
    VALUES (?, ?, ?, (SELECT number FROM commits), ?, ?)
    ON CONFLICT DO NOTHING RETURNING at_most_bytes"""

_UPDATE = """
    UPDATE documents SET version = (SELECT number FROM commits), at_most_bytes = at_most_bytes + ?,
    fields = json_set(fields, {changes})
    WHERE collection = ? AND path = ? AND version = ? RETURNING at_most_bytes"""

_VERIFY = "SELECT 0 FROM documents WHERE collection = ? AND path = ? AND version = ?"

_DELETE = "DELETE FROM documents WHERE collection = ? AND path = ? AND version = coalesce(?, version) RETURNING 0"

_NATIVE = frozenset({str, int, type(None)})
"""Types that SQLite turns into JSON exactly as Python does; it has no booleans, and rounds numbers with a fraction."""

_COUNT = "UPDATE commits SET number = number + 1 RETURNING number"
"""Counted apart from the documents, so that the number of a deleted one never comes again."""


class Statement(Struct, frozen=True):
    """One write, ready before the transaction begins, which then lasts no longer than it must."""

    write: Write
    sql: str
    parameters: tuple[Any, ...]


def statement(write: Write, size: int) -> Statement:
    """A write as SQL. `size` is what its fields take."""
    parent, collection, _ = split(write.path)
    match write:
        case Create(path, fields):
            return Statement(write, _CREATE, (path, collection, parent, size, to_json(fields)))
        case Update(path, fields, version):
            native = tuple(type(value) in _NATIVE for value in fields.values())
            values = [value if type(value) in _NATIVE else to_json(value) for value in fields.values()]
            return Statement(write, _update(tuple(fields), native), (size, *values, collection, path, version))
        case Verify(path, version):
            return Statement(write, _VERIFY, (collection, path, version))
        case Delete(path, wanted):
            return Statement(write, _DELETE, (collection, path, wanted))
        case _:
            assert_never(write)


@lru_cache(maxsize=512)  # documents change the same few sets of fields for ever
def _update(names: tuple[str, ...], native: tuple[bool, ...]) -> str:
    marks = ("?" if as_it_is else "json(?)" for as_it_is in native)
    pairs = zip(map(json_path, names), marks, strict=True)
    return _UPDATE.format(changes=", ".join(f"{path}, {mark}" for path, mark in pairs))


def count_commit(transaction: sqlite3.Connection) -> int:
    """Number of this commit, which is the version of all that it writes."""
    ((number,),) = transaction.execute(_COUNT).fetchall()
    return int(number)


def run(transaction: sqlite3.Connection, statement: Statement) -> None:
    """Do one write.

    Raises:
        StaleWrite: It relied on another state of the document.
        InvalidInput: The document became too large.
    """
    rows = transaction.execute(statement.sql, statement.parameters).fetchall()
    match statement.write:
        case Create(path) if not rows:
            raise StaleWrite(f"{path} exists already.")
        case Delete(_, None):
            pass
        case Update(path) | Verify(path) | Delete(path) if not rows:
            raise StaleWrite(f"{path} has changed since it was read.")
        case Update(path) if rows[0][0] > SAFE_BYTES:
            _measure(transaction, path)


def _measure(transaction: sqlite3.Connection, path: str) -> None:
    """Replace the upper bound, to which each update adds, by what the fields take."""
    key = (split(path)[1], path)
    ((text,),) = transaction.execute("SELECT fields FROM documents WHERE collection = ? AND path = ?", key).fetchall()
    size = measured(path, from_json(text))
    transaction.execute("UPDATE documents SET at_most_bytes = ? WHERE collection = ? AND path = ?", (size, *key))
