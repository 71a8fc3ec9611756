"""Documents edited by hand: wrong types, missing and unknown fields, huge values, wrong statuses."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress

from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from entracte.adapters.memory.store import MemoryStore
from entracte.api.app import create_app
from entracte.core.identity.identity import Identity
from entracte.errors import EntracteError, InvalidInput
from tests.api.time_passing import TimePassing
from tests.fuzz.damage import damages, done_to
from tests.gates.scene import SEND, Scene
from tests.undo.stage import ADD, UPGRADE

ROUNDS = settings(
    max_examples=80,
    derandomize=True,  # the same edits in every run
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

MOST = 300
"""Deliveries after which it counts as a loop."""

PAGES = ("", "/journal", "/events?follow=false", "/undo")


def bounded(scene: Scene) -> None:
    """Deliver what waits, each message a few times at most; errors are Entracte's own."""
    world = scene.world
    for _ in range(MOST):
        if not world.bus.waiting:
            return
        message = world.bus.waiting.pop(0)
        try:
            world.process.engine.handle(message)
        except EntracteError:
            world.clock.advance(seconds=10)
    raise AssertionError("a loop")


def looked_at(scene: Scene) -> None:
    """Ask the API for everything that it shows of the run."""
    app = create_app(
        scene.world.process,
        identify=lambda request: Identity("ada"),
        patience=TimePassing().patience(),
    )
    client = TestClient(app)
    run = f"/v1/runs/{scene.id}"
    asked = [f"{run}{page}" for page in PAGES] + [
        "/v1/runs",
        "/v1/gates",
        "/v1/sessions/session",
        "/v1/gates?run=" + scene.id,
    ]
    for path in asked:
        answer = client.get(path)
        if answer.status_code >= 500:
            assert answer.json()["type"] in ("urn:entracte:corrupt_document", "urn:entracte:newer_schema"), (
                path,
                answer.text,
            )


def typed(do: Callable[[], object]) -> None:
    """It works, or raises one of Entracte's errors."""
    with suppress(EntracteError):
        do()


@ROUNDS
@given(st.data())
def test_an_edited_document_harms_its_own_run_at_most(data: st.DataObject) -> None:
    """Every error is one of Entracte's, nothing loops, and another run ends as if nothing had happened."""
    logging.disable(logging.CRITICAL)
    scene = Scene(UPGRADE, ADD, SEND, start=False)
    for _ in range(data.draw(st.integers(0, 7))):
        if scene.world.bus.waiting:
            scene.deliver()
    store = scene.world.store
    assert isinstance(store, MemoryStore)
    try:
        done_to(store, data.draw(damages(scene.world.documents())))
    except InvalidInput:
        return  # no store takes it
    looked_at(scene)
    bounded(scene)
    for _ in range(3):
        scene.world.clock.advance(minutes=20)
        scene.world.sweep()
        bounded(scene)
    looked_at(scene)
    gates = scene.world.process.gates
    typed(lambda: [gates.decide(gate.id, "approve", user="ada", via="http") for gate in gates.of_run(scene.id)])
    bounded(scene)
    typed(lambda: scene.world.process.runs.undo(scene.id, owner="ada"))
    bounded(scene)
    other = scene.world.start("Go.", key="another", session="another")
    bounded(scene)
    assert scene.world.run(other.id).status == "waiting"
