"""What every store does. A test class of an adapter inherits `StoreContract` and gives the fixture `store`.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self):
            store = MyStore(...)  # empty
            yield store
            store.close()

Needs pytest and Hypothesis. Call `pytest.register_assert_rewrite("entracte.testing")` first, to see what differed.
"""

from __future__ import annotations

import pytest

from entracte.ports.store import Create, Store
from entracte.testing.store_commit_contract import CommitContract
from entracte.testing.store_near_contract import NearContract
from entracte.testing.store_query_contract import QueryContract
from entracte.testing.store_race_contract import RaceContract
from entracte.testing.store_value_contract import ValueContract


class StoreContract(CommitContract, RaceContract, ValueContract, QueryContract, NearContract):
    """Facts about a store."""

    @pytest.fixture
    def store(self) -> Store:
        """An empty store for each test."""
        raise NotImplementedError

    def test_closing_twice_is_no_error(self, store: Store) -> None:
        """Owners need not agree who closes."""
        store.commit([Create("things/a", {})])
        store.load(["things/a"])
        store.close()
        store.close()
