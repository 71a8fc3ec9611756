"""What simulations have found in the engine, each as the shortest way to it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from entracte.agents import Agent
from entracte.core.actions.recording import call_of
from entracte.core.calls import Call, Prepared, ToolOutcome
from entracte.core.effects import MakeCall
from entracte.core.messages import Kind, Message
from entracte.core.phases import execute, undo
from entracte.ports.tools import Tools
from entracte.runtime.compose import Runtime
from entracte.testing.world import World
from tests.gates.racing import overtaken
from tests.gates.scene import SEND, Scene
from tests.runtime.script import Script, calls
from tests.undo.stage import UPGRADE, die, kill_undo


class Standing:
    """Tools in front of which the process stands still before the first call of one of them."""

    def __init__(self, tools: Tools, name: str, meanwhile: Callable[[], object]) -> None:
        self._tools = tools
        self._name = name
        self._meanwhile = [meanwhile]

    def prepare(self, call: Call) -> Prepared:
        return self._tools.prepare(call)

    def call(self, call: Call, *, hooks: bool = True) -> ToolOutcome:
        if call.tool == self._name and self._meanwhile:
            self._meanwhile.pop()()
        return self._tools.call(call, hooks=hooks)


def standing(world: World, name: str, meanwhile: Callable[[], object]) -> Runtime:
    """A process that stands still right before it calls a tool."""
    return world.new_process(tools=lambda tools: Standing(tools, name, meanwhile))


def test_a_call_is_not_begun_when_its_time_is_over() -> None:
    """Its process stood still; another may be making the same call by now. The agent is told that nothing was done."""
    scene = Scene(UPGRADE, start=False)
    scene.deliver()
    process = standing(scene.world, "write", lambda: scene.world.clock.advance(minutes=20))
    scene.world.deliver(scene.world.bus.waiting.pop(0), process)
    assert (scene.action.status, scene.shop.done) == ("failed", [])
    assert "was not called" in scene.action.error


def test_a_reading_is_tried_again_when_its_time_is_over() -> None:
    """Nothing has been done yet, so the agent need not hear of it."""
    scene = Scene(UPGRADE, start=False)
    scene.deliver()
    process = standing(scene.world, "read", lambda: scene.world.clock.advance(minutes=20))
    told = scene.world.deliver(scene.world.bus.waiting.pop(0), process)
    scene.settle()
    assert (told, scene.action.status) == ("again later: not_called", "applied")


def test_an_undo_that_stood_still_does_not_act_beside_the_one_that_took_over() -> None:
    """The inverse is called once; the walk is not stopped by the one that came too late."""
    scene = Scene(UPGRADE)
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.deliver()
    message = scene.world.bus.waiting.pop(0)

    def others_take_over() -> None:
        scene.world.clock.advance(minutes=20)
        scene.world.deliver(message)

    told = scene.world.deliver(message, standing(scene.world, "write", others_take_over))
    scene.settle()
    assert (told, scene.status, len(scene.shop.done)) == ("again later: not_called", "undone", 2)


def test_an_undo_that_was_overtaken_leaves_the_end_to_whoever_calls_now() -> None:
    """A refusal that comes late does not stop the walk of the other."""
    scene = Scene(UPGRADE)
    kill_undo(scene, "before the call")
    engine, message = scene.world.process.engine, _message(scene, "undo", scene.action.id)
    s = engine.situation(engine.repository.load(undo.paths(message)), delivery="late")
    reversal = scene.action.reversal
    assert reversal is not None
    older = replace(call_of(s, scene.run, scene.action, attempt=reversal.attempt - 1), idempotency_key=reversal.key)
    outcome = undo.conclude(s, message, MakeCall(older), ToolOutcome(ending="failed", error="Not now."))
    assert (outcome.puts, outcome.note) == ((), "another delivery makes the call")


def test_sweep_moves_the_date_of_a_run_that_is_being_undone() -> None:
    """Else such runs, once due, would be looked at by every sweep and hide the others."""
    scene = Scene(UPGRADE)
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.world.bus.waiting.clear()
    scene.world.clock.advance(minutes=16)
    first = scene.world.sweep()
    scene.world.bus.waiting.clear()
    assert (first, scene.world.sweep()) == (1, 0)


def test_a_sub_agent_is_not_opened_after_a_cancel() -> None:
    """The cancel comes between the look at the run and the commit."""
    clerk = Agent(name="clerk", prompt="You help.")
    model = Script({"desk": [calls(("clerk", {"message": "Go."}))], "clerk": ["done"]})
    scene = Scene(model=model, agents=[clerk], start=False)
    scene.deliver()
    process = overtaken(scene.world, scene.cancel)
    scene.world.deliver(scene.world.bus.waiting.pop(0), process)
    assert (scene.statuses, len(scene.world.process.runs.frames(scene.run))) == (["cancelled"], 1)


def test_a_gate_that_is_decided_while_its_frame_parks_leaves_the_frame_due() -> None:
    """Below the root, parking writes the frame and not the run: the answer verifies both."""
    clerk = Agent(name="clerk", prompt="You help.", tools=["send"], light=True)
    model = Script({"desk": [calls(("clerk", {"message": "Go."}))], "clerk": [calls(SEND), "sent"]})
    scene = Scene(model=model, agents=[clerk], start=False)
    scene.deliver(3)
    (held,) = scene.world.bus.waiting
    die(scene, "after the call")  # it has opened the gate and would have parked
    scene.decide("approve", process=overtaken(scene.world, lambda: scene.world.deliver(held)))
    (child,) = [frame for frame in scene.world.process.runs.frames(scene.run) if frame.parent]
    assert (scene.actions[-1].status, child.due is not None) == ("approved", True)


def test_a_late_end_beside_a_run_that_parks_wakes_the_run() -> None:
    """What the late end has read of the run is verified: else the run would wait for nobody."""
    scene = Scene(UPGRADE, start=False)
    scene.deliver()
    (held,) = scene.world.bus.waiting
    die(scene, "after the call")
    engine = scene.world.process.engine
    s = engine.situation(engine.repository.load(execute.paths(held)), delivery="late")
    call = call_of(s, scene.run, scene.action, attempt=1)
    scene.world.clock.advance(minutes=20)
    scene.world.bus.waiting.append(held)
    die(scene, "after the call")  # it is in doubt now, and its frame has not been parked yet
    late = overtaken(scene.world, lambda: scene.world.deliver(held))
    late.engine.late(call, ToolOutcome(ending="applied", result="written"))
    assert (scene.action.status, scene.status) == ("applied", "running")


def _message(scene: Scene, kind: Kind, action: str) -> Message:
    return Message(kind=kind, run=scene.id, session="session", action=action)


def in_doubt_and_late() -> tuple[Scene, Callable[[], str]]:
    """A change that is in doubt, and what makes it happen after all."""
    scene = Scene(UPGRADE, start=False)
    scene.deliver()
    (held,) = scene.world.bus.waiting
    die(scene, "before the call")
    engine = scene.world.process.engine
    s = engine.situation(engine.repository.load(execute.paths(held)), delivery="late")
    call = call_of(s, scene.run, scene.action, attempt=1)
    scene.world.clock.advance(minutes=20)
    scene.world.bus.waiting.append(held)
    scene.settle()

    def ends() -> str:
        scene.shop.records[1]["plan"] = "Pro"
        return engine.late(call, ToolOutcome(ending="applied", result="written"))

    return scene, ends


def test_a_change_that_is_made_after_its_undo_has_looked_can_be_undone() -> None:
    """The run does not say any more that it is undone, and an undo that is asked for again takes the change back."""
    scene, ends = in_doubt_and_late()
    before = scene.undo().status
    ends()
    undo = scene.run.undo
    assert undo is not None
    assert (before, scene.status, undo.stopped, scene.shop.plans()[1]) == ("undone", "partial", scene.action.id, "Pro")
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")


def test_what_an_undo_has_read_is_read_again_when_the_call_ends_meanwhile() -> None:
    """Else it would take the record as it was before for one that is put back."""
    scene, ends = in_doubt_and_late()
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.deliver(2)  # the gate is told, the order is set
    scene.world.deliver(scene.world.bus.waiting.pop(), overtaken(scene.world, ends))
    scene.settle()
    assert (scene.status, scene.statuses, scene.shop.plans()[1]) == ("undone", ["reverted"], "Free")
