"""Changes of rows that can be taken back, one by one.

While a statement runs, triggers write down for each row the statement that restores it
(https://www.sqlite.org/undoredo.html). They are temporary: they see what is done through this connection only.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3

from entracte.errors import ToolError
from sales.database import TABLES


def begin_change(connection: sqlite3.Connection, key: str) -> int:
    """Open a change under an idempotency key: from here to the end of the transaction its rows are written down."""
    made = connection.execute("INSERT INTO changes (key) VALUES (?) RETURNING id", (key,)).fetchone()
    for table in TABLES:
        for trigger in _triggers(connection, table, made["id"]):
            connection.execute(trigger)
    number: int = made["id"]
    return number


def end_change(connection: sqlite3.Connection, change: int) -> int:
    """Note how many rows the statement that was just run has changed, and say so."""
    noted = "UPDATE changes SET rows_changed = changes() WHERE id = ? RETURNING rows_changed"
    rows: int = connection.execute(noted, (change,)).fetchone()["rows_changed"]
    return rows


def known_change(connection: sqlite3.Connection, key: str) -> tuple[int, int] | None:
    """Number and rows of the change that was made under a key, if one was."""
    found = connection.execute("SELECT id, rows_changed FROM changes WHERE key = ?", (key,)).fetchone()
    return None if found is None else (found["id"], found["rows_changed"])


def revert_change(connection: sqlite3.Connection, change: int) -> int:
    """Put the rows of a change back, the last one first; how many there were. A second time, nothing is done.

    Raises:
        ToolError: There was no such change.
    """
    found = connection.execute("SELECT rows_changed FROM changes WHERE id = ?", (change,)).fetchone()
    if found is None:
        raise ToolError(f"There is no change {change}.")
    for line in connection.execute("SELECT sql FROM undo_log WHERE change = ? ORDER BY id DESC", (change,)).fetchall():
        connection.execute(line["sql"])
    connection.execute("DELETE FROM undo_log WHERE change = ?", (change,))
    connection.execute("UPDATE changes SET taken_back = 1 WHERE id = ?", (change,))
    rows: int = found["rows_changed"]
    return rows


def rows_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """All rows of a table as lines of text, equal exactly when the rows are."""
    rows = connection.execute(f"SELECT * FROM {table} ORDER BY id")
    return [f"{table} {json.dumps(dict(row), ensure_ascii=False)}" for row in rows]


def fingerprint(rows: list[str]) -> str:
    """How many rows there are, and a digest of what they hold."""
    return f"{len(rows)} rows, sha256 {hashlib.sha256(chr(10).join(rows).encode()).hexdigest()[:16]}"


def _triggers(connection: sqlite3.Connection, table: str, change: int) -> tuple[str, str, str]:
    columns = [row["name"] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = " || ', ' || ".join(f"quote(old.{column})" for column in columns)
    settings = " || ', ' || ".join(f"'{column} = ' || quote(old.{column})" for column in columns)
    inverses = {
        "INSERT": f"'DELETE FROM {table} WHERE id = ' || new.id",
        "UPDATE": f"'UPDATE {table} SET ' || {settings} || ' WHERE id = ' || new.id",
        "DELETE": f"'INSERT INTO {table} ({', '.join(columns)}) VALUES (' || {values} || ')'",
    }
    insert, update, delete = (
        f"CREATE TEMP TRIGGER {table}_{event} AFTER {event} ON main.{table} BEGIN "
        f"INSERT INTO undo_log (change, sql) VALUES ({change}, {inverse}); END"
        for event, inverse in inverses.items()
    )
    return insert, update, delete
