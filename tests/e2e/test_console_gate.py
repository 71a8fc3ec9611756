"""A gate decided by editing its document, as people do in the Firestore console."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from google.cloud import firestore

from entracte.client import Client
from stack import Stack

pytestmark = pytest.mark.emulator

QUESTION = "Move Ada to Pro, fix Grace's email, remove the duplicate of Alan, mail Ada about it"
ANSWER = (
    "Records reported: Ada Lovelace is on the Pro plan now. Grace Hopper's e-mail address is grace.hopper@navy.example"
    ' now. The duplicate of Alan Turing, number 431, is deleted. Correspondence reported: "You are on the Pro plan" was'
    " sent to ada@analytical-engines.example."
)
SOMEBODY = "fake-auth-id@gmail.com"
"""Whom the emulator names as the author of every edit."""


@pytest.fixture
def outbox(tmp_path: Path) -> Path:
    """Where the support desk's mails go."""
    return tmp_path / "outbox"


@pytest.fixture
def stack(firestore_emulator: str, pubsub_emulator: str, outbox: Path) -> Iterator[Stack]:
    """The sample network, with a Firestore emulator of its own: one that tells gate_edit of edits."""
    lines: list[str] = []
    project = f"demo-console-{uuid.uuid4().hex[:8]}"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FIRESTORE_EMULATOR_HOST")
        patch.setenv("CRM_DATABASE", str(outbox.with_name("crm.sqlite3")))
        patch.setenv("CRM_OUTBOX", str(outbox))
        with Stack(network="crm:network", project=project, on_line=lambda name, line: lines.append(line)) as running:
            patch.setenv("FIRESTORE_EMULATOR_HOST", running.addresses["firestore emulator"])
            yield running
    assert not [line for line in lines if "Traceback" in line], lines[-50:]


@pytest.fixture
def database(stack: Stack) -> Iterator[firestore.Client]:
    """A plain client of the stack's database, as the console is one."""
    with closing(firestore.Client(project=stack.environment["ENTRACTE_PROJECT"])) as client:
        yield client


def edit(gate: firestore.DocumentReference, until: Callable[[dict[str, Any]], object], **fields: Any) -> dict[str, Any]:
    """Write fields into a gate's document; gives the first state of it from then on that is as wanted."""
    states: Queue[dict[str, Any]] = Queue()
    watch = gate.on_snapshot(lambda documents, changes, time: [states.put(doc.to_dict()) for doc in documents])
    try:
        states.get(timeout=20)  # as it is now
        gate.update(fields)
        while not until(state := states.get(timeout=60)):
            pass
        return state
    finally:
        watch.unsubscribe()


def test_an_edit_in_the_console_lets_the_run_go_on(stack: Stack, database: firestore.Client, outbox: Path):
    """A typing error decides nothing and is answered in the document; so is an edit that comes too late."""
    with Client(stack.api_url) as client:
        run = client.run(QUESTION)
        assert run.status == "waiting"
        (gate,) = database.collection("gates").list_documents()

        mistyped = edit(gate, lambda state: state["decision_error"], decision="aprove")
        assert mistyped["decision_error"] == "'aprove' is no decision. Write approve or deny."
        assert (mistyped["status"], mistyped["decision"]) == ("waiting", "")
        assert not outbox.exists()

        decided = edit(gate, lambda state: state["status"] != "waiting", decision_reason="fine", decision="approve")
        assert (decided["status"], decided["decision"], decided["decision_error"]) == ("approved", "", "")
        assert [(vote["by"], vote["via"], vote["reason"], vote["refused"]) for vote in decided["votes"]] == [
            (SOMEBODY, "console", "", "unknown_decision"),
            (SOMEBODY, "console", "fine", ""),
        ]
        assert client.wait(run.id, timeout_s=60).raise_for_status().text == ANSWER
        assert len(list(outbox.glob("*.eml"))) == 1

        late = edit(gate, lambda state: state["decision_error"], decision="deny")
        assert late["decision_error"].startswith(f"The gate was approved by {SOMEBODY} at ")
        assert (late["status"], late["decision"]) == ("approved", "")
