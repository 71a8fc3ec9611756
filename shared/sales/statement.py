"""One SQL statement of an agent's: what it may do, what it writes, how long it may take."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entracte.errors import ToolError
from sales.changes import rows_of
from sales.database import TABLES, transaction

MAX_S = 5.0
"""Seconds that a statement may take."""

_STEPS = 10_000
"""Instructions of SQLite's between two looks at the clock."""

_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_WRITES = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}


@contextmanager
def guarded(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction whose faults are told to the agent. Nothing has happened then, so it may try again.

    Raises:
        ToolError: The statement is wrong, breaks a rule of the tables, may not be run, or takes too long.
    """
    known = " or ".join(TABLES)
    try:
        with transaction(path) as connection:
            known = " or ".join(f"{table} ({_columns(connection, table)})" for table in TABLES)
            yield connection
    except (sqlite3.DatabaseError, sqlite3.Warning) as error:
        remedy = f"Run one SELECT, INSERT, UPDATE or DELETE on {known}."
        raise ToolError(f"SQLite says: {error}. Nothing was changed.", remedy=remedy) from error


def _columns(connection: sqlite3.Connection, table: str) -> str:
    return ", ".join(row["name"] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def written_tables(connection: sqlite3.Connection, sql: str) -> list[str]:
    """The tables that a statement would write, as SQLite itself reads it; it is not run."""
    written: set[str] = set()
    with _watched(connection, written):
        connection.execute(f"EXPLAIN {sql}").close()
    return sorted(written)


def execute(connection: sqlite3.Connection, sql: str) -> sqlite3.Cursor:
    """Run a statement; fetch its rows before the transaction ends."""
    ends = time.monotonic() + MAX_S
    connection.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
    with _watched(connection, set()):
        return connection.execute(sql)


def rehearse(connection: sqlite3.Connection, sql: str, tables: list[str]) -> tuple[str, ...]:
    """Which rows of these tables a statement would change: as they are with a minus, as they would be with a plus."""
    connection.execute("SAVEPOINT rehearsal")
    before = [row for table in tables for row in rows_of(connection, table)]
    execute(connection, sql).fetchall()
    after = [row for table in tables for row in rows_of(connection, table)]
    connection.execute("ROLLBACK TO rehearsal")
    kept = set(before) & set(after)
    return (*(f"- {row}" for row in before if row not in kept), *(f"+ {row}" for row in after if row not in kept))


@contextmanager
def _watched(connection: sqlite3.Connection, written: set[str]) -> Iterator[None]:
    """Have SQLite ask before everything that it does, and refuse what is neither a read nor a write of rows."""

    def allow(action: int, table: str | None, _column: str | None, _base: str | None, trigger: str | None) -> int:
        if action in _READS or trigger is not None:
            return sqlite3.SQLITE_OK
        if action in _WRITES and table in TABLES:
            written.add(table)
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    connection.set_authorizer(allow)
    try:
        yield
    finally:
        connection.set_authorizer(None)
