"""Tables of the SQLite store.

``documents`` holds everything, one document a row, its fields as JSON text that a person can read and the `sqlite3`
shell can query. ``commits`` counts commits; a document's version is the number of the commit that wrote it.

Indexes are for what is asked often: what is due, and an owner's newest runs. They are sparse: documents without the
field cost nothing. Children are found through the primary key, in which a collection's documents lie together. Every
further index would cost each commit a twentieth of its time; what is asked now and then is looked for within its
collection.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from entracte.errors import ConfigurationError

APPLICATION_ID = 0x456E7472  # "Entr"
SCHEMA_VERSION = 1

PRIMARY_KEY = "sqlite_autoindex_documents_1"
"""What SQLite calls the index of the primary key."""

PATH_ORDER = "replace(path, '/', char(1))"
"""Sorts paths part by part, since no part holds a character as low as char(1)."""


def key(*parts: str) -> str:
    """SQL expression for a value inside the fields; for a time or bytes, their JSON text, which sorts as they do."""
    return f"json_extract(fields, {json_path(*parts)})"


def json_path(*parts: str) -> str:
    """SQL literal of the JSON path to a value. The parts hold no double quotes and no backslashes."""
    path = "$" + "".join(f'."{part}"' for part in parts)
    return "'" + path.replace("'", "''") + "'"


def _listing(*names: str) -> str:
    """Index for documents of a collection with certain values of the fields but the last, in the order of the last."""
    keys = ", ".join(key(name) for name in names)
    columns = f"collection, {keys}, {PATH_ORDER}"
    return f"CREATE INDEX by_{'_'.join(names)} ON documents ({columns}) WHERE {key(names[-1])} IS NOT NULL"


_SCHEMA = (
    """CREATE TABLE documents (
        path TEXT NOT NULL,
        collection TEXT NOT NULL,
        parent TEXT NOT NULL,
        version INTEGER NOT NULL,
        at_most_bytes INTEGER NOT NULL, -- upper bound of what the fields take in Firestore
        fields TEXT NOT NULL,
        PRIMARY KEY (collection, path)
    )""",
    _listing("due"),
    _listing("owner", "created"),
    "CREATE TABLE commits (number INTEGER NOT NULL)",
    "INSERT INTO commits VALUES (0)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


def prepare(connection: sqlite3.Connection, file: Path) -> None:
    """Make the tables in a new file; leave those of an existing one alone. Several processes may do so at once.

    Raises:
        ConfigurationError: The file belongs to another program, or to a newer version of this one.
    """
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # commits, or undoes half of a schema
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (application, tables) == (0, 0):
            for statement in _SCHEMA:
                connection.execute(statement)
        elif application != APPLICATION_ID:
            raise ConfigurationError(f"{file} is a database of another program.", remedy="Name another file.")
        elif version > SCHEMA_VERSION:
            raise ConfigurationError(
                f"{file} has schema {version}; this version of Entracte knows {SCHEMA_VERSION}.",
                remedy="Use the newer version here too.",
            )
