"""The store in one SQLite file, which several threads and processes may use at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from entracte.adapters.sqlite.connections import Connections
from entracte.adapters.sqlite.encode import from_json, to_json
from entracte.adapters.sqlite.select import select
from entracte.adapters.sqlite.write import count_commit, run, statement
from entracte.core.paths import check_document, split
from entracte.ports.answerable import answerable
from entracte.ports.nearest import MAX_COMPARED, nearest
from entracte.ports.storable import storable_writes
from entracte.ports.store import Create, Query, Stored, Update, Version, Write

_LOAD = """
    SELECT documents.path, version, fields FROM json_each(?) AS wanted
    CROSS JOIN documents ON documents.collection = wanted.value AND documents.path = wanted.key"""


class SqliteStore:
    """Documents in a file. What was committed outlives a crash and a power cut."""

    def __init__(self, path: Path | str, *, busy_timeout_s: float = 10.0) -> None:
        """Open the file, made with its folder where there is none.

        Args:
            busy_timeout_s: Seconds to wait for other processes that write.

        Raises:
            ConfigurationError: It cannot be opened, or is no file of Entracte's.
        """
        self._connections = Connections(Path(path), busy_timeout_s=busy_timeout_s)

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        for path in paths:
            check_document(path)
        wanted = to_json({path: split(path)[1] for path in paths})
        with self._connections.looking_up() as connection:
            rows = connection.execute(_LOAD, (wanted,)).fetchall()
        return {path: Stored(path=path, fields=from_json(text), version=version) for path, version, text in rows}

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        if not (statements := [statement(write, size) for write, size in storable_writes(writes)]):
            return {}
        with self._connections.writing() as transaction:
            version = count_commit(transaction)
            for each in statements:
                run(transaction, each)
        return {write.path: version for write in writes if isinstance(write, (Create, Update))}

    def query(self, query: Query) -> Sequence[Stored]:
        query = answerable(query)
        near, limit = query.near, query.limit
        sql, parameters = select(query if near is None else replace(query, limit=MAX_COMPARED))
        with self._connections.reading() as connection:
            rows = connection.execute(sql, parameters).fetchall()
        found = [Stored(path=path, fields=from_json(text), version=version) for path, version, text in rows]
        if near is None:
            return found
        by_path = {stored.path: stored for stored in found}
        chosen = nearest(near, {path: stored.fields for path, stored in by_path.items()})
        return [by_path[path] for path in chosen[:limit]]

    def close(self) -> None:
        self._connections.close()
