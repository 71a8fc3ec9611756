"""What a process that has died left behind (sweep.py)."""

import pytest

from entracte.agents import tool
from entracte.ports.store import Update
from entracte.runtime.upkeep.sweep import Sweep
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from tests.gates.scene import SEND, Scene
from tests.runtime.scenes import a_world, frame, the_action
from tests.runtime.script import Script, calls, fault


@tool
def change() -> str:
    """Change something."""
    raise ConnectionResetError


CHANGE = calls(("change", {}))


def by_hand(world, path, **fields):
    """Change a stored document as a newer version or a person would."""
    world.store.commit([Update(path, fields, world.store.load([path])[path].version)])


def release(world, *dead):
    """What an embedded start does after processes of these names have died."""
    return Sweep(world.process.engine, world.bus).release(lambda name: name in dead)


def release_own(world):
    """The process itself is the dead one."""
    release(world, *(fields["worker"] for fields in world.documents().values() if fields.get("worker")))


def sweep_later(world):
    """A quarter of an hour later."""
    world.clock.advance(minutes=16)
    world.sweep()


def test_what_a_dead_process_left_is_brought_forward_at_once():
    """Long before it is due, whoever finds that its worker has died."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    world.bus.waiting.clear()
    worker = frame(world, run).worker
    assert (release(world, "somebody else"), world.bus.waiting) == (0, [])
    assert release(world, worker) == 1
    world.settle()
    assert world.run(run.id).status == "succeeded"


def test_a_call_that_was_approved_goes_on_though_whoever_took_the_approval_died():
    """Between the commit and the message: the next start brings it forward, not sweep a quarter of an hour later."""
    scene = Scene(SEND)
    scene.decide("approve")
    scene.world.bus.waiting.clear()
    release(scene.world, scene.world.process.engine.process.worker)
    scene.settle()
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


@pytest.mark.parametrize("looks", [release_own, sweep_later])
def test_a_run_waits_visibly_though_whoever_opened_its_gate_died(looks):
    """Between the gate and the parking: nothing else would ever bring that about."""
    scene = Scene(SEND, start=False)
    world = scene.world
    world.deliver(world.bus.waiting.pop(0))
    fuse = Fuse()
    dying = world.new_process(store=lambda store: CrashingStore(store, fuse))
    fuse.at = 3  # load, commit of the gate; dies before the step is looked at
    with pytest.raises(Crash):
        world.deliver(world.bus.waiting.pop(0), dying)
    assert (scene.status, scene.gate.status) == ("running", "waiting")
    world.bus.waiting.clear()
    looks(world)
    scene.settle()
    assert (scene.status, frame(world, scene.run).due) == ("waiting", None)


def test_a_call_that_was_approved_while_its_frame_was_moving_goes_on_at_the_next_start():
    """Nobody notes who has approved it; a second message would do no harm."""
    scene = Scene(SEND)
    scene.decide("approve")
    scene.world.bus.waiting.clear()
    assert release(scene.world) == 1
    scene.settle()
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


def test_the_lease_of_a_dead_process_ends_at_once():
    """Its call is in doubt now, not in ten minutes."""
    world = a_world(Script([CHANGE]), change)
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    (execute,) = world.bus.waiting
    fuse = Fuse()
    dying = world.new_process(store=lambda store: CrashingStore(store, fuse))
    fuse.at = 3  # load, commit of the intent; dies before the commit of the end
    with pytest.raises(Crash):
        world.deliver(world.bus.waiting.pop(0), dying)
    assert (the_action(world, run).status, world.deliver(execute)) == ("started", "another delivery holds the lease")
    release(world, dying.engine.process.worker)
    world.settle()
    assert (the_action(world, run).status, world.run(run.id).status) == ("unknown", "waiting")


def test_a_reply_that_cannot_be_used_is_a_move_too():
    """Sweep counts how often it found a frame unmoved in a row: a frame that goes on is never near to being stalled."""
    world = a_world(Script([fault(), "done"]))
    run = world.start("Go.")
    by_hand(world, f"runs/{run.id}/frames/{run.id}", sweeps=5)
    world.deliver(world.bus.waiting.pop(0))
    assert (frame(world, run).repairs, frame(world, run).sweeps) == (1, 0)


def test_a_start_passes_over_documents_that_it_cannot_read():
    """One damaged document must not keep a program from opening its store."""
    world = a_world(Script(["done"]))
    broken, left = world.start("Go.", key="1", session="1"), world.start("Go.", key="2", session="2")
    world.bus.waiting.clear()
    by_hand(world, f"runs/{broken.id}/frames/{broken.id}", schema_version=2)
    assert release(world, frame(world, left, left.id).worker) == 1
