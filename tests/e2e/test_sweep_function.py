"""The sweep function on the emulators."""

from __future__ import annotations

from base64 import b64encode
from contextlib import closing
from datetime import UTC, datetime

import httpx
import pytest

from entracte.adapters.gcp.bus import PubSubBus
from entracte.adapters.gcp.store import FirestoreStore
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.client import Client
from entracte.core.addresses import frame_path
from entracte.core.messages import Message
from entracte.core.runs.starting import RunRequest
from entracte.ports.store import Update
from entracte.runtime.compose import compose
from entracte.runtime.loading import load_network
from entracte.testing.bus import HeldBus
from stack import Stack

pytestmark = pytest.mark.emulator


def test_a_message_that_was_lost_is_made_up_for(stack: Stack, firestore_emulator: str):
    """A run whose first message was never sent is due; one sweep later it goes on and ends."""
    project = stack.environment["ENTRACTE_PROJECT"]
    with closing(FirestoreStore(project, emulator=firestore_emulator)) as store:
        author = compose(
            load_network("crm:network"), store=store, bus=HeldBus(), clock=SystemClock(),
            secrets_port=EnvironmentSecrets({}), worker="died",
        )  # fmt: skip
        request = RunRequest(input={"message": "Which plan is Ada Lovelace on, and since when?"})
        run = author.runs.start(request, owner="local")
        path = frame_path(run.id, run.id)
        version = store.load([path])[path].version
        store.commit([Update(path, {"due": datetime(2026, 1, 1, tzinfo=UTC)}, version)])
    with closing(PubSubBus(project)) as bus, Client(stack.api_url) as client:
        bus.publish([Message(kind="sweep", run="")])
        assert client.wait(run.id, timeout_s=60).raise_for_status().text.startswith("Ada Lovelace is on the Free plan")


def test_a_dead_letter_stalls_its_run_visibly(stack: Stack, firestore_emulator: str):
    """With the reason, instead of being tried for ever."""
    project = stack.environment["ENTRACTE_PROJECT"]
    with closing(FirestoreStore(project, emulator=firestore_emulator)) as store:
        author = compose(
            load_network("crm:network"), store=store, bus=HeldBus(), clock=SystemClock(),
            secrets_port=EnvironmentSecrets({}), worker="died",
        )  # fmt: skip
        run = author.runs.start(RunRequest(input={"message": "Which plan?"}), owner="local")
    letter = Message(kind="plan", run=run.id, session=run.session, frame=run.id, step=1)
    address = stack.addresses["sweep"]
    body = {"message": {"data": _base64(letter.encode()), "messageId": "1"}, "subscription": "dead-letters"}
    assert httpx.post(f"http://{address}/", json=body).status_code == 204
    with Client(stack.api_url) as client:
        seen = client.get(run.id)
    assert (seen.status, seen.error) == ("stalled", "A message of kind plan came back too often.")


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode()
