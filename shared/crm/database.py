"""The support desk's SQLite file: opened by any number of processes at once, filled when it is new.

Every call opens a connection of its own and closes it, since tools run in whatever thread or process is free.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from crm.words import matches
from entracte.errors import ToolError

BUSY_S = 10.0
"""Seconds that a connection waits for another's write to end."""

DUMPED = {"customers": "id", "invoices": "number"}
"""Tables of a dump and the column that orders each. `calls` is a log, which undo leaves alone, so it is left out."""


def open_database(path: Path) -> sqlite3.Connection:
    """Open the file, and make and fill it first if it is not there. The caller closes the connection."""
    if not path.exists():
        make_database(path)
    return _connect(path)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one look; what is read in it belongs to one moment."""
    with closing(open_database(path)) as connection:
        connection.execute("BEGIN")
        yield connection


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that holds the write lock: all that is done in it is committed at the end, or nothing on an error.

    Raises:
        ToolError: Others kept the lock for `BUSY_S`; nothing was changed.
    """
    with closing(open_database(path)) as connection:
        try:
            # The lock is taken before the first look: a transaction that begins by reading can fail when it writes.
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raise ToolError(
                f"The customer database was busy for {BUSY_S:.0f} s; nothing was changed.", remedy="Try again."
            ) from error
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def dump(path: Path) -> str:
    """All records as text, equal exactly when the records are: a JSON line a row, by table and key."""
    with reading(path) as connection:
        return "".join(
            json.dumps({"table": table, **dict(row)}, ensure_ascii=False) + "\n"
            for table, key in DUMPED.items()
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY {key}")
        )


def make_database(path: Path) -> None:
    """Make the file under another name and link it into place, unless somebody else was faster.

    So nobody ever opens half of a database, and nobody's changes are replaced by a new one.
    """
    from crm.seed import all_customers, all_invoices  # read once in a database's life

    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        fresh = Path(folder) / path.name
        with closing(_connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")  # kept in the file: readers and a writer at the same time
            connection.executescript(Path(__file__).with_name("schema.sql").read_text(encoding="utf-8"))
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO customers VALUES (:id, :name, :email, :plan, :since, :country, :notes)",
                [customer.model_dump(mode="json") for customer in all_customers()],
            )
            connection.executemany(
                "INSERT INTO invoices VALUES (:number, :customer_id, :issued, :amount_cents, :status)",
                [
                    invoice.model_dump(mode="json") | {"amount_cents": int(invoice.amount_usd * 100)}
                    for invoice in all_invoices()
                ],
            )
            connection.commit()
        try:
            os.link(fresh, path)
        except FileExistsError:
            return


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.create_function("matches", 2, matches, deterministic=True)
    return connection
