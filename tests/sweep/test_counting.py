"""Whatever sweep publishes again and again without success becomes visible (sweep.py, giving_up.py)."""

import pytest

from entracte.agents import tool
from entracte.ports.store import Delete, Update
from entracte.runtime.engine.giving_up import give_up, note_fault
from entracte.runtime.services.going_on import resume
from entracte.runtime.upkeep.sweep import MAX_SWEEPS, Sweep
from tests.gates.scene import SEND, Scene
from tests.gates.shop import gated
from tests.runtime.scenes import a_world, events
from tests.runtime.script import Script, calls
from tests.undo.stage import kill_undo

WRITE = ("write", {"id": 1, "plan": "Pro"})


def in_vain(world, *, until=60):
    """Sweep every nine hours while every message is lost; gives how often it published."""
    published = 0
    for _ in range(until):
        world.clock.advance(hours=9)
        world.sweep()
        published += len(world.bus.waiting)
        world.bus.waiting.clear()
    return published


def due(world):
    """Paths of everything that sweep will look at."""
    return [path for path, fields in world.documents().items() if fields.get("due") is not None]


def test_a_gate_that_nobody_can_be_told_of_is_stalled():
    """After a bounded number of tries, with the gate's id; it can be decided all the same."""
    scene = Scene(SEND, rules=gated("send"), start=False)
    for _ in range(2):
        scene.world.deliver(scene.world.bus.waiting.pop(0))
    scene.world.bus.waiting = [m for m in scene.world.bus.waiting if m.kind != "approve"]
    scene.settle()
    assert in_vain(scene.world) == MAX_SWEEPS
    assert (scene.status, scene.gate.id in scene.run.error, due(scene.world)) == ("stalled", True, [])
    scene.decide("approve")
    scene.settle()
    assert (scene.status, scene.run.error, len(scene.shop.done)) == ("succeeded", "", 1)


def test_a_run_stalled_by_its_gate_is_resumed_with_it():
    """The gate is announced after all, and the run waits as it should."""
    scene = Scene(SEND, rules=gated("send"), start=False)
    for _ in range(2):
        scene.world.deliver(scene.world.bus.waiting.pop(0))
    scene.world.bus.waiting.clear()
    in_vain(scene.world)
    assert scene.status == "stalled"
    resume(scene.world.process.engine, scene.run, by="ada")
    scene.settle()
    assert scene.gate.z.announced
    assert scene.status in ("running", "waiting")


def test_an_undo_that_nothing_moves_ends_partial_with_the_reason():
    """It can be asked for again."""
    scene = Scene(WRITE)
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.world.bus.waiting.clear()
    assert in_vain(scene.world) == MAX_SWEEPS
    undo = scene.run.undo
    assert (scene.status, undo.reason) == ("partial", f"Nothing has moved the undo after {MAX_SWEEPS} tries.")
    assert due(scene.world) == []
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.settle()
    assert (scene.status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_a_move_of_an_undo_forgives_the_sweeps_before_it():
    """Only tries in a row count."""
    scene = Scene(WRITE, ("add", {"plan": "Free"}))
    scene.world.process.runs.undo(scene.id, owner="ada")
    first = scene.world.bus.waiting.pop()
    in_vain(scene.world, until=MAX_SWEEPS)
    assert scene.run.undo.sweeps == MAX_SWEEPS
    scene.world.deliver(first)
    assert (scene.status, scene.run.undo.sweeps) == ("undoing", 0)


def test_an_undo_message_that_came_back_too_often_stops_the_undo():
    """A dead letter about it is no frame's business."""
    scene = Scene(WRITE)
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.world.deliver(scene.world.bus.waiting.pop(0))
    poison = scene.world.bus.waiting.pop()
    assert give_up(scene.world.process.engine, poison, "It came back too often.") == "stopped"
    assert (scene.status, scene.run.undo.stopped) == ("partial", scene.action.id)
    assert give_up(scene.world.process.engine, poison, "It came back too often.") == "moved on"


def test_an_inverse_whose_undo_was_given_up_is_not_looked_at_for_ever():
    """The next undo comes to it again."""
    scene = Scene(WRITE)
    kill_undo(scene, "after the call")
    poison = scene.world.bus.waiting
    in_vain(scene.world)
    assert (scene.status, scene.statuses, due(scene.world), poison) == ("partial", ["reverting"], [], [])
    assert (scene.undo().status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_an_approved_call_whose_frame_is_stalled_is_not_looked_at_for_ever():
    """Whoever has the run resumed has it made."""
    scene = Scene(SEND, rules=gated("send"))
    scene.decide("approve")
    scene.world.bus.waiting.clear()
    in_vain(scene.world)
    assert (scene.status, scene.statuses, due(scene.world)) == ("stalled", ["approved"], [])
    resume(scene.world.process.engine, scene.run, by="ada")
    scene.settle()
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


def test_a_decision_without_an_author_is_not_asked_about_for_ever():
    """If nobody can even ask again, the run says so."""
    scene = Scene(SEND, rules=gated("send"))
    scene.edit_gate(scene.gate, decision="approve")
    assert in_vain(scene.world) == MAX_SWEEPS
    assert scene.status == "stalled"


def test_a_gate_that_was_deleted_is_opened_again_when_its_run_is_read():
    """Whoever looks at a run that waits finds what it waits for."""
    scene = Scene(SEND, rules=gated("send"))
    first = scene.gate.id
    scene.world.store.commit([Delete(f"gates/{first}")])
    (gate,) = scene.gates
    assert (gate.id, gate.waiting) == (f"{scene.action.id}.2", True)
    assert "deleted" in gate.why
    scene.settle()
    scene.decide("approve", gate=gate)
    scene.settle()
    assert (scene.status, len(scene.shop.done)) == ("succeeded", 1)


@tool
def wire() -> str:
    """Wire money."""
    return "wired"


def held(world, run):
    """The run's only call under a lease that has not ended; its execute message."""
    message = next(m for m in world.bus.waiting if m.kind == "execute")
    path = f"runs/{run.id}/actions/{run.id}.1.0"
    lease = {"holder": "x", "worker": "w", "expires": world.clock.now() + world.process.engine.process.timeout}
    world.store.commit(
        [Update(path, {"status": "started", "attempt": 1, "lease": lease}, world.store.load([path])[path].version)]
    )
    return message


def test_a_dead_letter_about_a_call_that_is_being_made_stalls_nothing():
    """Its lease has not ended, and its due date covers a death."""
    world = a_world(Script([calls(("wire", {}))]), wire)
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    said = give_up(world.process.engine, held(world, run), "It came back too often.")
    assert (said, world.run(run.id).status) == ("its subject has moved on, or is being worked on", "running")


@pytest.mark.parametrize("light", [False, True])
def test_a_dead_letter_about_what_has_moved_on_stalls_nothing(light):
    """Somebody else has done its work."""
    world = a_world(Script([calls(("wire", {})), "done"]), wire, desk={"light": light})
    run = world.ask("Go.")
    for message in world.bus.published:
        give_up(world.process.engine, message, "It came back too often.")
    assert world.run(run.id).status == "succeeded"
    late = a_world(Script([calls(("wire", {}))]), wire, desk={"light": light})
    run = late.start("Go.")
    late.deliver(late.bus.waiting.pop(0))
    first = late.bus.published[0]
    assert (first.kind, give_up(late.process.engine, first, "x")) == (
        "plan",
        "its subject has moved on, or is being worked on",
    )


@pytest.mark.parametrize("after", range(4))
def test_a_poison_message_stalls_its_run_with_the_fault(after):
    """Not only that it came back too often, but what went wrong; it can be resumed."""
    world = a_world(Script([calls(("wire", {})), "done"]), wire)
    run = world.start("Go.")
    for _ in range(after):
        world.deliver(world.bus.waiting.pop(0))
    poison = world.bus.waiting.pop(0)
    for _ in range(3):
        note_fault(world.process.engine, poison, KeyError("tenant"))
    give_up(world.process.engine, poison, "A message came back too often.")
    stalled = world.run(run.id)
    assert (stalled.status, stalled.error) == ("stalled", "A message came back too often. KeyError: 'tenant'")
    assert [e.data["message"] for e in events(world, run, "error")] == ["KeyError: 'tenant'", stalled.error]
    resume(world.process.engine, stalled, by="ada")
    world.settle()
    assert world.run(run.id).status == "succeeded"


def test_more_than_a_page_is_due_at_once():
    """One sweep looks at all of it, page by page."""
    world = a_world(Script(["done"]))
    runs = [world.start("Go.", key=str(n), session=str(n)) for n in range(120)]
    world.bus.waiting.clear()
    world.clock.advance(hours=1)
    assert world.sweep() == 120
    assert len({message.run for message in world.bus.waiting}) == len(runs)


def test_what_a_dead_process_left_is_found_beyond_the_first_thousand():
    """An embedded start looks at all that moves."""
    world = a_world(Script(["done"]))
    for n in range(1005):
        world.start("Go.", key=str(n), session=str(n))
    world.bus.waiting.clear()
    dead = world.process.engine.process.worker
    assert Sweep(world.new_process().engine, world.bus).release(lambda name: name == dead) == 1005
