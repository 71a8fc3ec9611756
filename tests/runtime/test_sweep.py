"""What is due and has not moved (sweep.py)."""

from datetime import timedelta

import pytest

from entracte.agents import Agent, Budget, tool
from entracte.core.due import PHASE_DUE
from entracte.ports.store import Update
from entracte.runtime.upkeep.sweep import MAX_SWEEPS, Sweep
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from entracte.testing.simulation.sameness import comparable
from entracte.testing.world import World
from tests.runtime.desk import DeskModel, Effects, desk_network
from tests.runtime.scenes import a_world, frame, the_action
from tests.runtime.script import Script, calls


@tool(effect="readonly")
def look_up() -> str:
    """Look something up."""
    return "found"


@tool
def change() -> str:
    """Change something."""
    raise ConnectionResetError


PATIENT = Budget(wall_s=10**9)
CHANGE = calls(("change", {}))


def due(world):
    """Paths of everything that sweep will look at."""
    return [path for path, fields in world.documents().items() if fields.get("due") is not None]


def by_hand(world, path, **fields):
    """Change a stored document as a newer version or a person would."""
    world.store.commit([Update(path, fields, world.store.load([path])[path].version)])


def test_nothing_is_swept_before_it_is_due():
    """A phase has a quarter of an hour."""
    world = a_world(Script(["done"]))
    world.start("Go.")
    world.clock.advance(seconds=PHASE_DUE.total_seconds() - 1)
    assert world.sweep() == 0
    world.clock.advance(seconds=1)
    assert world.sweep() == 1


def test_sweeping_a_healthy_run_does_no_harm():
    """Also when every phase takes so long that sweep looks at it each time."""
    effects = Effects()
    undisturbed = World(desk_network(Effects(), idempotent=False, budget=PATIENT), DeskModel())
    undisturbed.ask("Which plan is Ada on?")
    world = World(desk_network(effects, idempotent=False, budget=PATIENT), DeskModel())
    world.start("Which plan is Ada on?")
    while world.bus.waiting:
        world.deliver(world.bus.waiting.pop(0))
        world.clock.advance(minutes=16)
        world.sweep()
    assert comparable(world.documents()) == comparable(undisturbed.documents())
    assert set(effects.calls.values()) == {1}


def test_a_run_that_waits_for_a_person_costs_sweep_nothing():
    """Months later, too: nothing of it is due, nothing is looked at."""
    clerk = Agent(name="clerk", prompt="You change.", tools=[change])
    model = Script({"desk": [calls(("clerk", {"message": "x"}))], "clerk": [CHANGE]})
    world = a_world(model, agents=[clerk])
    run = world.ask("Go.")
    assert run.status == "waiting"
    moving = [path for path in due(world) if not path.startswith("gates/")]
    world.clock.advance(days=90)
    published = len(world.bus.published)
    world.sweep()
    assert moving == []
    assert [m.kind for m in world.bus.published[published:] if m.kind != "approve"] == []


def test_a_frame_that_waits_for_a_long_call_is_not_stuck():
    """Its child works for days; nothing of it is counted against it."""
    clerk = Agent(name="clerk", prompt="You note.", tools=[look_up], max_steps=99)
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": [calls(("look_up", {}))]})
    world = a_world(model, agents=[clerk], budget=PATIENT)
    run = world.start("Go.")
    for _ in range(2):
        world.deliver(world.bus.waiting.pop(0))
    for _ in range(2 * MAX_SWEEPS):
        world.clock.advance(days=1)
        world.sweep()
        message, world.bus.waiting = world.bus.waiting[0], []
        world.deliver(message)
    assert (world.run(run.id).status, frame(world, run).sweeps) == ("running", 0)


@pytest.mark.parametrize("damage", [{"schema_version": 2}, {"cursor": "lost"}])
def test_a_document_that_cannot_be_read_stops_nobody_else(damage):
    """It is left as it is, with its due date: whoever can read it will."""
    world = a_world(Script(["done"]))
    broken, healthy = world.start("Go.", key="1", session="1"), world.start("Go.", key="2", session="2")
    world.bus.waiting.clear()
    path = f"runs/{broken.id}/frames/{broken.id}"
    by_hand(world, path, **damage)
    before = world.documents()[path]
    world.clock.advance(hours=1)
    world.sweep()
    world.settle()
    assert world.run(healthy.id).status == "succeeded"
    assert (world.documents()[path], before["due"] is not None) == (before, True)
    assert world.run(broken.id).status == "queued"


def test_a_call_that_was_looked_at_is_due_again_later():
    """Or a page of calls that cannot be brought forward would hide all others for ever."""
    world = a_world(Script([CHANGE]), change)
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    with pytest.raises(Crash):
        world.deliver(world.bus.waiting.pop(0), world.new_process(store=lambda store: CrashingStore(store, Fuse(3))))
    world.clock.advance(minutes=11)
    assert (world.sweep(), [message.kind for message in world.bus.waiting]) == (1, ["execute"])
    world.bus.waiting.clear()  # it is lost
    assert world.sweep() == 0
    assert the_action(world, run).due == world.clock.now() + PHASE_DUE
    world.clock.advance(seconds=PHASE_DUE.total_seconds())
    world.sweep()
    world.settle()
    assert world.run(run.id).status == "waiting"


def test_a_frame_that_moves_while_sweep_looks_at_it_is_left_alone():
    """It is not stuck, and whoever moves it publishes."""

    class Moving:
        def __init__(self, store):
            self.store = store

        def __getattr__(self, name):
            return getattr(self.store, name)

        def query(self, query):
            found = self.store.query(query)
            if query.collection == "frames" and found:
                world.deliver(world.bus.waiting.pop(0))
            return found

    world = a_world(Script([calls(("look_up", {})), "done"]), look_up)
    run = world.start("Go.")
    for _ in range(2):  # plan, call
        world.deliver(world.bus.waiting.pop(0))
    world.clock.advance(minutes=16)
    Sweep(world.new_process(store=Moving).engine, world.bus).run()
    assert (frame(world, run).sweeps, [message.kind for message in world.bus.waiting]) == (0, ["plan"])


def test_several_sweeps_at_once_do_no_harm():
    """The second finds that the first has moved the frame's date on."""
    world = a_world(Script(["done"]))
    world.start("Go.")
    world.bus.waiting.clear()
    world.clock.advance(hours=1)
    sweeps = [Sweep(world.new_process().engine, world.bus) for _ in range(2)]
    assert [sweep.run() for sweep in sweeps] == [1, 0]
    assert world.clock.now() + timedelta(minutes=30) == frame(world, world.process.runs.list(owner="ada").items[0]).due


def test_a_bug_at_one_document_hides_no_other(caplog):
    """It is logged with its place, and whatever is due behind it is looked at."""
    world = a_world(Script(["done"]))
    runs = [world.start("Go.", key=str(n), session=str(n)) for n in range(3)]
    world.bus.waiting.clear()
    world.clock.advance(hours=1)

    class Broken:
        def __init__(self, bus):
            self.bus = bus

        def publish(self, messages):
            if any(message.run == runs[1].id for message in messages):
                raise KeyError("topic")
            self.bus.publish(messages)

    Sweep(world.process.engine, Broken(world.bus)).run()
    assert {message.run for message in world.bus.waiting} == {runs[0].id, runs[2].id}
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        f"sweep_failed path=runs/{runs[1].id}/frames/{runs[1].id}"
    ]
