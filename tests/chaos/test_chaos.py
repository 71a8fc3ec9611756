"""Chaos on the emulators (infra/chaos)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHAOS = Path(__file__).resolve().parents[2] / "infra" / "chaos"


@pytest.mark.emulator
@pytest.mark.usefixtures("firestore_emulator", "pubsub_emulator")
def test_nothing_is_lost_or_done_twice_while_processes_are_killed_and_the_store_restarts():
    """Five runs with gates and undo. `dev.py chaos` plays many more."""
    options = ["--runs=5", "--seed=1", "--storms=1", "--storm=4", "--most=120", "--json"]
    done = subprocess.run(
        [sys.executable, str(CHAOS / "chaos.py"), *options], cwd=CHAOS.parents[1], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert (figures["violations"], figures["restarts of the store"]) == ([], 1)
    assert figures["processes killed"] > 0


def test_a_change_made_twice_or_by_nobody_and_a_run_that_is_gone_are_found(tmp_path: Path):
    """An audit that cannot fail is none."""
    from audit import audit
    from customers import Customers

    from entracte.adapters.memory.store import MemoryStore
    from entracte.runtime.engine.repository import Repository

    customers = Customers(tmp_path / "customers.db")

    def add(database: Any) -> None:
        database.execute("INSERT INTO notes (run, text) VALUES ('r', 'n')")

    for _ in range(2):
        customers.change("add_note", "r.1.0", "r", add, honours_key=False)
    found = audit(Repository(MemoryStore()), customers, {"r": 0})
    assert found.violations == [
        "r.1.0: done 2 times",
        "1 runs are not in the store",
        "r.1.0: a change that no action tells of",
    ]


def test_a_request_with_a_known_key_is_answered_and_changes_nothing(tmp_path: Path):
    """Where the tool honours keys; and what fails leaves nothing behind."""
    from customers import Customers

    customers = Customers(tmp_path / "customers.db")

    def add(database: Any) -> int:
        return int(database.execute("INSERT INTO notes (run, text) VALUES ('r', 'n')").lastrowid)

    def fail(database: Any) -> None:
        add(database)
        raise ValueError("broken off")

    assert [customers.change("add", "k", "r", add, honours_key=True) for _ in range(2)] == [1, 1]
    with pytest.raises(ValueError, match="broken off"):
        customers.change("add", "other", "r", fail, honours_key=True)
    assert (customers.left("r")["notes"], [request.acted for request in customers.requests()]) == (["n"], [True, False])
