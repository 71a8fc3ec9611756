"""Connections to one SQLite file: one for writing, which threads take in turn, and some for reading at the same time."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from entracte.adapters.sqlite.schema import prepare
from entracte.errors import ConfigurationError

_STATEMENTS = 512
"""Statements that a connection keeps compiled; updates have one for each set of fields."""

_MAX_IDLE_READERS = 8


class Connections:
    """All connections of one store. Threads within a process queue for the writer; processes wait for its lock."""

    def __init__(self, file: Path, *, busy_timeout_s: float) -> None:
        """Open the file, making it and its folder where there is none.

        Raises:
            ConfigurationError: It cannot be opened, or is not ours.
            StoreUnavailable: Others kept it locked for too long.
        """
        self._file = file
        self._busy_timeout_s = busy_timeout_s
        self._writing = threading.Lock()
        self._idle: list[sqlite3.Connection] = []  # append and pop are atomic
        self._closed = False
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._open()
        except OSError as error:
            raise ConfigurationError(f"The folder of {file} cannot be made: {error}.") from error
        try:
            self._writer.execute("PRAGMA journal_mode = WAL")
            prepare(self._writer, str(file))
        except sqlite3.Error:
            pass
