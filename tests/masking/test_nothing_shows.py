"""What is planted is nowhere to be seen, and undo restores it all the same."""

from __future__ import annotations

import logging

import pytest

from entracte.runtime.services.announcing import Announcer
from entracte.testing.world import World
from tests.masking.clinic import (
    ASKED_EMAIL,
    CARD,
    EMAIL,
    Clinic,
    Everything,
    open_world,
    planted_in,
    texts_of,
)
from tests.notify.test_announcing import Told

QUESTION = f"Set patient 7's address to {ASKED_EMAIL}, please."


def test_nothing_that_is_planted_is_kept_or_told_and_undo_restores_it(caplog: pytest.LogCaptureFixture) -> None:
    """Documents, journal, events, log, gate, notifications, requests to the model, answer: none holds a true value."""
    caplog.set_level(logging.DEBUG, "entracte")
    clinic, told, notified = Clinic(), Everything(), Told("everybody")
    world = open_world(clinic, observers=[told])
    before = dict(clinic.record)

    run = world.start(QUESTION)
    world.settle()
    (gate,) = world.process.gates.of_run(run.id)
    Announcer([notified])(gate, False)
    changed_while_waiting = dict(clinic.record)
    world.process.gates.decide(gate.id, "approve", user="ada", via="http", digest=gate.z.digest)
    world.settle()
    ended = world.run(run.id)
    changed = dict(clinic.record)
    world.process.runs.undo(run.id, owner="ada")
    world.settle()

    assert ended.status == "succeeded", ended
    assert changed_while_waiting == before
    assert changed == before | {"email": ASKED_EMAIL, "card": CARD, "seen": 1}
    assert world.run(run.id).status == "undone"
    assert clinic.record == before | {"seen": 2}
    assert notified.notices
    shown = [
        caplog.text,
        *texts_of(world),
        *map(repr, told.events),
        *map(repr, notified.notices),
        *map(repr, world.model.requests),
    ]
    assert {value for text in shown for value in planted_in(text)} == set()
    assert "looked up ⟨email⟩" in caplog.text


def test_without_a_mask_the_same_run_shows_everything() -> None:
    """The proof of the proof: what is planted does reach the documents when nobody masks it."""
    clinic = Clinic()
    world = World(clinic.network(None), open_world(Clinic()).model)

    world.start(QUESTION)
    world.settle()

    assert EMAIL in {value for text in texts_of(world) for value in planted_in(text)}
