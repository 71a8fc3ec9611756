"""Every store keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from entracte.adapters.gcp.store import FirestoreStore
from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.sqlite.store import SqliteStore
from entracte.testing.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore(tmp_path / "store.db")
        yield store
        store.close()


@pytest.mark.emulator
class TestFirestoreStore(StoreContract):
    @pytest.fixture
    def store(self, firestore_emulator: str) -> Iterator[FirestoreStore]:
        store = FirestoreStore(f"demo-{uuid4().hex[:12]}", emulator=firestore_emulator)
        yield store
        store.close()
