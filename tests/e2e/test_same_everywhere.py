"""The same run on memory, on SQLite, and as functions on the emulators."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from entracte.adapters.gcp.store import FirestoreStore
from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.sqlite.store import SqliteStore
from entracte.client import Client
from entracte.core.addresses import KINDS
from entracte.core.runs.starting import RunRequest
from entracte.ports.store import Query, Store
from entracte.runtime.loading import load_network
from entracte.runtime.local.embedded import open_embedded
from entracte.testing.simulation.sameness import comparable
from stack import Stack

QUESTION = "Which plan is Ada Lovelace on, and since when?"
ANSWER = "Ada Lovelace is on the Free plan, and a customer since 2019-12-10."


def documents(store: Store, run: str, session: str) -> dict[str, Any]:
    """Every document of one run and its session, without what may differ."""
    under = [f"runs/{run}", f"sessions/{session}"]
    found = {doc.path: dict(doc.fields) for doc in store.load(under).values()}
    for kind in KINDS:
        for parent in under if kind not in ("runs", "sessions", "gates") else []:
            found |= {
                doc.path: dict(doc.fields) for doc in store.query(Query(collection=kind, parent=parent, limit=1000))
            }
    return comparable(found)


def embedded(store: Store) -> dict[str, Any]:
    """The run in this process."""
    engine = open_embedded(load_network("crm:network"), store=store)
    try:
        request = RunRequest(input={"message": QUESTION}, session="same")
        run = engine.runs.start(request, owner="local", idempotency_key="same")
        assert engine.wait(run.id).raise_for_status().text == ANSWER
        return documents(store, run.id, "same")
    finally:
        engine.close()


@pytest.fixture
def crm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh customer database for the tools of this process."""
    monkeypatch.setenv("CRM_DATABASE", str(tmp_path / "crm.sqlite3"))
    monkeypatch.setenv("CRM_OUTBOX", str(tmp_path / "outbox"))


@pytest.mark.usefixtures("crm")
def test_memory_and_sqlite_end_with_the_same_documents(tmp_path: Path):
    """The engine knows no store."""
    assert embedded(SqliteStore(tmp_path / "same.db")) == embedded(MemoryStore())


@pytest.mark.emulator
@pytest.mark.usefixtures("crm")
def test_functions_on_the_emulators_end_with_the_same_documents(stack: Stack, firestore_emulator: str):
    """Separate processes, pushed messages and Firestore change nothing of what comes out."""
    body = {"message": QUESTION, "session": "same"}
    started = httpx.post(f"{stack.api_url}/v1/runs", json=body, headers={"Idempotency-Key": "same"})
    with Client(stack.api_url) as client:
        run = client.wait(started.json()["id"])
    assert run.raise_for_status().text == ANSWER
    with closing(FirestoreStore(stack.environment["ENTRACTE_PROJECT"], emulator=firestore_emulator)) as store:
        assert documents(store, run.id, "same") == embedded(MemoryStore())


@pytest.mark.emulator
def test_fifty_runs_at_once_all_end_right(stack: Stack):
    """Nothing is lost or mixed up between runs that share functions, topics and a customer database."""
    with Client(stack.api_url) as client:
        runs = [client.start(QUESTION, metadata={"number": str(number)}) for number in range(50)]
        ended = [client.wait(run.id, timeout_s=240) for run in runs]
    assert [(run.status, run.text) for run in ended] == [("succeeded", ANSWER)] * 50
    assert [run.data["metadata"]["number"] for run in ended] == [str(number) for number in range(50)]
