"""Connections to one SQLite file: one that writes, which threads take in turn, and some that read meanwhile."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import stamina

from entracte.adapters.sqlite.schema import prepare
from entracte.errors import AmbiguousCommit, ConfigurationError, StoreUnavailable

_STATEMENTS = 512
"""Statements that a connection keeps compiled; updates have one for each set of fields."""

_CHECKPOINT_PAGES = 200
"""Pages that gather before they move into the file. Few, since writing again into a log that is there already is
quicker than making it longer: 0.17 ms a commit against 0.20 with SQLite's own 1,000, and 0.31 with 4,000."""

_MAX_IDLE_READERS = 8


class Connections:
    """All connections of one store. Threads queue for the writer; other processes are waited for by SQLite itself."""

    def __init__(self, file: Path, *, busy_timeout_s: float) -> None:
        """Open the file, made with its folder where there is none.

        Raises:
            ConfigurationError: It cannot be opened, or is not ours.
            StoreUnavailable: Another process kept it locked.
        """
        self._file = file
        self._busy_timeout_s = busy_timeout_s
        self._turn = threading.Lock()
        self._pool = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._open()
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(f"{file} cannot be opened: {error}.") from error
        try:
            self._use_wal()
            prepare(self._writer, file)
        except sqlite3.Error as error:
            self._writer.close()
            if _is_busy(error):
                raise self._unavailable(error) from error
            raise ConfigurationError(f"{file} cannot be used: {error}.", remedy="Name another file.") from error
        except ConfigurationError:
            self._writer.close()
            raise

    @contextmanager
    def looking_up(self) -> Iterator[sqlite3.Connection]:
        """As `reading`, for what is quick: the writer where it is free, which has what it wrote still at hand.

        Raises:
            StoreUnavailable: The file cannot be read.
        """
        if not self._turn.acquire(blocking=False):
            with self.reading() as connection:
                yield connection
            return
        try:
            if self._closed:
                raise RuntimeError("The store is closed.")
            yield self._writer
        except sqlite3.Error as error:
            raise self._unavailable(error) from error
        finally:
            self._turn.release()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for one statement that reads.

        Raises:
            StoreUnavailable: The file cannot be read.
        """
        try:
            connection = self._take()
            try:
                yield connection
            finally:
                self._give_back(connection)
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The writer within a transaction, which is committed at the end and undone by any error.

        Raises:
            StoreUnavailable: Another process kept the file locked, or it cannot be written. Nothing was written.
            AmbiguousCommit: The disk failed during the commit itself.
        """
        with self._turn:
            if self._closed:
                raise RuntimeError("The store is closed.")
            writer = self._writer
            try:
                writer.execute("BEGIN IMMEDIATE")
                yield writer
            except BaseException as error:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise self._unavailable(error) from error
                raise
            try:
                writer.execute("COMMIT")
            except sqlite3.Error as error:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise AmbiguousCommit(f"{self._file} failed in a commit: {error}.", remedy="Check the disk.") from error

    def close(self) -> None:
        """Close all; those in use are closed by their users."""
        with self._turn, self._pool:
            self._closed = True
            for connection in (self._writer, *self._idle):
                connection.close()
            self._idle.clear()

    def _take(self) -> sqlite3.Connection:
        with self._pool:
            if self._closed:
                raise RuntimeError("The store is closed.")
            if self._idle:
                return self._idle.pop()
        return self._open()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._pool:
            if not self._closed and len(self._idle) < _MAX_IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._file,
            timeout=self._busy_timeout_s,
            isolation_level=None,  # transactions begin and end where this module says
            check_same_thread=False,
            cached_statements=_STATEMENTS,
        )
        # FULL: a commit that was answered outlives a power cut. In WAL mode it costs one fsync.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        return connection

    def _use_wal(self) -> None:
        # SQLite does not wait here by itself when two processes open a new file at the same moment.
        for attempt in stamina.retry_context(on=_is_busy, attempts=50, timeout=self._busy_timeout_s, wait_max=0.2):
            with attempt:
                self._writer.execute("PRAGMA journal_mode = WAL")

    def _unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(f"{self._file} cannot be used now: {error}.")


def _is_busy(error: Exception) -> bool:
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
