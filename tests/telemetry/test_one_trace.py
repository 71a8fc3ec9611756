"""One trace through function processes."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from entracte.client import Client
from stack import Stack
from tests.telemetry.receiver import receiving

pytestmark = pytest.mark.emulator


def test_api_plan_execute_and_evaluate_of_separate_processes_share_a_trace(
    firestore_emulator: str, pubsub_emulator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a real receiver gets from each process by the time that the run has ended: one trace, no loose ends."""
    with receiving() as receiver:
        monkeypatch.setenv("CRM_DATABASE", str(tmp_path / "crm.sqlite3"))
        monkeypatch.setenv("CRM_OUTBOX", str(tmp_path / "outbox"))
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_emulator)
        monkeypatch.setenv("PUBSUB_EMULATOR_HOST", pubsub_emulator)
        monkeypatch.setenv("ENTRACTE_OTLP_ENDPOINT", receiver.address)
        project = f"demo-trace-{uuid.uuid4().hex[:8]}"
        with Stack(network="crm:network", project=project) as stack, Client(stack.api_url) as client:
            run = client.run("Which plan is Ada Lovelace on, and since when?")
        spans = receiver.spans

    assert run.status == "succeeded"
    first = next(span for span in spans if not span.parent)
    assert first.attributes["entracte.run.id"] == run.id
    assert {span.trace for span in spans} == {first.trace}
    assert {span.name for span in spans} >= {first.name, "plan", "execute", "evaluate"}
    assert {span.parent for span in spans if span is not first} <= {span.id for span in spans}
