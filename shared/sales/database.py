"""The merchant's SQLite file.

Every call opens a connection of its own and closes it, since tools run in whatever thread or process is free.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

BUSY_S = 10.0
"""Seconds that a connection waits for another's write to end."""

TABLES = ("products", "orders")
"""Tables that agents work with; the others are the database's own account of what was changed."""


@contextmanager
def transaction(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that sees one moment; what is done in it is kept at the end, or nothing of it on an error."""
    if not path.exists():
        _make(path)
    with closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA recursive_triggers = ON")  # or REPLACE would delete rows behind the triggers' back
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def _make(path: Path) -> None:
    """Fill a file under another name and link it into place: nobody ever opens half of a database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        fresh = Path(folder) / path.name
        with closing(sqlite3.connect(fresh)) as connection:
            connection.executescript(Path(__file__).with_name("shop.sql").read_text("utf-8"))
        try:
            os.link(fresh, path)
        except FileExistsError:
            return  # somebody else was faster
