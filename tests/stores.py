"""The fixture of what holds in every store: memory, SQLite, Firestore's emulator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.sqlite.store import SqliteStore
from entracte.ports.store import Store


@pytest.fixture(params=["memory", "sqlite", pytest.param("firestore", marks=pytest.mark.emulator)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    match request.param:
        case "memory":
            opened: Store = MemoryStore()
        case "sqlite":
            opened = SqliteStore(tmp_path / "store.db")
        case _:
            from entracte.adapters.gcp.store import FirestoreStore

            emulator = request.getfixturevalue("firestore_emulator")
            opened = FirestoreStore(f"demo-{uuid4().hex[:12]}", emulator=emulator)
    yield opened
    opened.close()
