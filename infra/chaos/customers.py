"""The customers' database of the chaos network: outside of every function, so that it outlives them.

One file for all processes. Every request is counted by its idempotency key, in the same transaction as its effect.
Half of the tools honour the key; what the others are asked twice, they do twice.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY, key TEXT, run TEXT, tool TEXT, acted INTEGER, at REAL);
    CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, result TEXT);
    CREATE TABLE IF NOT EXISTS plans (run TEXT PRIMARY KEY, plan TEXT);
    CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT, text TEXT);
    CREATE TABLE IF NOT EXISTS mails (id INTEGER PRIMARY KEY, run TEXT, subject TEXT);
"""

_BUSY_S = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a tool that changes something.

    Attributes:
        acted: It changed something; False for one that was answered by its key.
    """

    key: str
    run: str
    tool: str
    acted: bool
    at_s: float


class Customers:
    """Plans, notes and mails; each run has a customer of its own."""

    def __init__(self, file: Path) -> None:
        self._file = file
        with closing(self._open()) as database:
            database.executescript(f"PRAGMA journal_mode = WAL; {_SCHEMA}")

    def plan_of(self, run: str) -> str:
        """Its plan now."""
        with closing(self._open()) as database:
            found = database.execute("SELECT plan FROM plans WHERE run = ?", (run,)).fetchone()
        return str(found[0]) if found else "Free"

    def change(
        self, tool: str, key: str, run: str, work: Callable[[sqlite3.Connection], Any], *, honours_key: bool
    ) -> Any:
        """Do it, all or nothing, and count the request. What `work` raises undoes all but the count."""
        with closing(self._open()) as database:
            database.execute("BEGIN IMMEDIATE")
            if honours_key and (
                done := database.execute("SELECT result FROM results WHERE key = ?", (key,)).fetchone()
            ):
                _count(database, tool, key, run, acted=False)
                database.execute("COMMIT")
                return json.loads(done[0])
            try:
                result = work(database)
            except Exception:
                database.execute("ROLLBACK")
                raise
            _count(database, tool, key, run, acted=True)
            database.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (key, json.dumps(result)))
            database.execute("COMMIT")
            return result

    def requests(self) -> list[Request]:
        """All of them, oldest first."""
        with closing(self._open()) as database:
            rows = database.execute("SELECT key, run, tool, acted, at FROM requests ORDER BY id").fetchall()
        return [Request(key, run, tool, bool(acted), at) for key, run, tool, acted, at in rows]

    def has_happened(self, key: str) -> bool:
        """Whether a request with that key changed something."""
        return any(request.key == key and request.acted for request in self.requests())

    def left(self, run: str) -> dict[str, Any]:
        """What there is of a run's customer."""
        with closing(self._open()) as database:
            notes = database.execute("SELECT text FROM notes WHERE run = ? ORDER BY id", (run,)).fetchall()
            mails = database.execute("SELECT subject FROM mails WHERE run = ? ORDER BY id", (run,)).fetchall()
        return {"plan": self.plan_of(run), "notes": [row[0] for row in notes], "mails": [row[0] for row in mails]}

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_BUSY_S, isolation_level=None)


def _count(database: sqlite3.Connection, tool: str, key: str, run: str, *, acted: bool) -> None:
    row = (key, run, tool, acted, time.time())
    database.execute("INSERT INTO requests (key, run, tool, acted, at) VALUES (?, ?, ?, ?, ?)", row)
