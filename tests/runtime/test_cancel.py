"""Cancelling a run (core/runs/cancelling.py): honoured before each effect, and never after it."""

import pytest

from entracte.agents import Agent, Hook, ToolError, tool
from entracte.core.modelling import ModelReply
from entracte.errors import Conflict, NotFound
from tests.gates.scene import SEND, Scene
from tests.runtime.scenes import a_world, actions, events, the_action, value
from tests.runtime.script import Script, calls, judging

CHANGE = calls(("change", {}))


class Stage:
    """A run that is cancelled at a moment that the test chooses."""

    def __init__(self, plans=(CHANGE, "done"), *, when_called=lambda: "done", idempotent=False, **others):
        self.calls = 0

        @tool(idempotent=idempotent)
        def change() -> str:
            """Change something."""
            self.calls += 1
            return when_called()

        @tool(effect="readonly")
        def look() -> str:
            """Look."""
            self.calls += 1
            return when_called()

        self.model = Script(list(plans), **others.pop("lines", {}))
        self.world = a_world(self.model, change, look, **others)
        self.run = self.world.start("Go.")

    def cancel(self):
        return self.world.process.runs.cancel(self.run.id, owner="ada")

    def deliver(self, count=1):
        for _ in range(count):
            self.world.deliver(self.world.bus.waiting.pop(0))

    @property
    def now(self):
        """Status of the run, statuses of its actions, how often a tool was called."""
        return self.world.run(self.run.id).status, [a.status for a in actions(self.world, self.run)], self.calls


@pytest.mark.parametrize("wanted", [CHANGE, calls(("look", {})), calls(("change", {}), ("change", {}), ("look", {}))])
def test_a_call_that_was_not_made_before_the_cancel_is_never_made(wanted):
    """Its action says so, and nothing follows."""
    stage = Stage([wanted])
    stage.deliver()
    messages = len(stage.world.bus.waiting)
    stage.cancel()
    stage.world.settle()
    status, ended, called = stage.now
    assert (status, called, ended.count("cancelled")) == ("cancelled", 0, messages)
    assert len(stage.model.requests) == 2


def test_a_cancel_between_preparation_and_intent_is_caught():
    """The commit of the intent verifies the run: the last moment at which a call can be stopped."""

    class Cancelling(Hook):
        def before_tool(self, call, ctx):
            stage.cancel()
            return call

    stage = Stage(harness=[Cancelling()])
    stage.world.settle()
    assert stage.now == ("cancelled", ["cancelled"], 0)


def test_a_call_under_way_ends_as_it_ends_and_nothing_follows():
    """An issued change is always recorded; the agent is asked nothing more."""
    stage = Stage(when_called=lambda: stage.cancel() and "done")
    stage.world.settle()
    assert stage.now == ("cancelled", ["applied"], 1)
    assert value(the_action(stage.world, stage.run).result) == "done"
    assert stage.model.asked("evaluate") == []


def test_a_call_under_way_that_fails_is_recorded_too():
    """The tool said that it did nothing."""

    def fail():
        stage.cancel()
        raise ToolError("No such customer.")

    stage = Stage(when_called=fail)
    stage.world.settle()
    assert stage.now == ("cancelled", ["failed"], 1)


@pytest.mark.parametrize("purpose", ["interpret", "plan", "evaluate"])
def test_a_reply_that_comes_after_the_cancel_begins_nothing(purpose):
    """Whatever the model wanted: no call is made, and nothing more is asked."""

    def cancelling(reply):
        def line(request):
            stage.cancel()
            return reply(request) if callable(reply) else reply

        return line

    lines = {"interpret": [{"goals": [], "tasks": []}], "evaluate": [judging({"facts": ["x"]})]}
    plans = [CHANGE, "done"]
    match purpose:
        case "interpret":
            lines["interpret"] = [cancelling(ModelReply(value={"goals": [], "tasks": []}))]
        case "plan":
            plans = [cancelling(CHANGE)]
        case "evaluate":
            lines["evaluate"] = [cancelling(lines["evaluate"][0])]
    stage = Stage(plans, lines=lines)
    stage.world.settle()
    status, _, called = stage.now
    assert (status, called) == ("cancelled", 1 if purpose == "evaluate" else 0)
    assert [request.purpose for request in stage.model.requests][-1] == purpose


def test_sub_agents_stop_with_their_run():
    """The child looks at the same document."""
    clerk = Agent(name="clerk", prompt="You note.", light=True)
    model = Script({"desk": [calls(("clerk", {"message": "x"}))], "clerk": ["noted"]})
    world = a_world(model, agents=[clerk])
    run = world.start("Go.")
    for _ in range(2):
        world.deliver(world.bus.waiting.pop(0))
    world.process.runs.cancel(run.id, owner="ada")
    world.settle()
    assert (model.asked("plan", "clerk"), world.run(run.id).status) == ([], "cancelled")


def test_a_run_is_cancelled_once():
    """The second caller learns that there is nothing left to cancel."""
    stage = Stage()
    stage.cancel()
    with pytest.raises(Conflict, match=rf"Run {stage.run.id} is cancelled already\. Nothing needs to be cancelled\."):
        stage.cancel()


def test_a_run_that_has_ended_cannot_be_cancelled():
    """It keeps its answer."""
    stage = Stage(["done"])
    stage.world.settle()
    with pytest.raises(Conflict, match="is succeeded already"):
        stage.cancel()
    assert stage.now == ("succeeded", [], 0)


def test_only_the_owner_can_cancel():
    """Others are told that there is no such run."""
    stage = Stage()
    with pytest.raises(NotFound):
        stage.world.process.runs.cancel(stage.run.id, owner="eve")
    assert stage.now[0] == "queued"


def test_a_waiting_run_can_be_cancelled():
    """Nobody has to decide first."""

    def break_off():
        raise ConnectionResetError

    stage = Stage(when_called=break_off)
    stage.world.settle()
    assert stage.now == ("waiting", ["unknown"], 1)
    stage.cancel()
    stage.world.settle()
    assert stage.now == ("cancelled", ["unknown"], 1)


@pytest.mark.parametrize("delivered", range(5))
def test_a_closed_run_is_never_opened_again_by_late_messages(delivered):
    """Every message ever published, delivered once more, twice, days later."""
    stage = Stage()
    stage.deliver(min(delivered, 4))
    if delivered < 4:
        stage.cancel()
    stage.world.settle()
    before, published = stage.now, len(stage.world.bus.published)
    for _ in range(2):
        stage.world.clock.advance(days=1)
        for message in stage.world.bus.published[:published]:
            stage.world.deliver(message)
        stage.world.sweep()
        stage.world.settle()
    assert (stage.now, len(stage.world.bus.published)) == (before, published)
    assert before[0] == ("cancelled" if delivered < 4 else "succeeded")


def test_the_end_of_the_run_is_an_event():
    """With its stop reason."""
    stage = Stage()
    stage.cancel()
    (ended,) = events(stage.world, stage.run, "run.ended")
    assert ended.data == {"status": "cancelled", "stop_reason": "cancelled", "output": None, "error": ""}
    closed = stage.world.run(stage.run.id)
    assert (closed.stop_reason, closed.expires > closed.updated) == ("cancelled", True)


def test_sweep_looks_once_at_a_run_that_was_cancelled():
    """Whoever cancelled it may have died before its gates were told; none waits, so nothing is left to do."""
    stage = Stage()
    stage.cancel()
    stage.world.settle()
    stage.world.clock.advance(minutes=15)
    due = stage.world.run(stage.run.id).due
    stage.world.sweep()
    assert (due, stage.world.run(stage.run.id).due) == (stage.world.clock.now(), None)
    assert stage.world.bus.waiting == []


def test_what_was_used_before_the_cancel_is_counted():
    """The model calls were made, whatever became of them."""
    stage = Stage()
    stage.deliver()
    stage.cancel()
    assert stage.world.run(stage.run.id).usage.tokens == 220


@pytest.mark.parametrize("close", ["cancel", "undo"])
def test_what_sub_agents_have_used_before_the_end_is_counted(close):
    """Those that are at work still, however deep, beside those whose end has been taken in."""
    inner = Agent(name="inner", prompt="You do.", light=True)
    outer = Agent(name="outer", prompt="You pass on.", agents=[inner], light=True)
    go_on = {"message": "go on"}
    model = Script(
        {
            "desk": [calls(("inner", go_on)), calls(("outer", go_on), ("inner", go_on)), "done"],
            "outer": [calls(("inner", go_on)), "done"],
            "inner": ["done"],
        },
        evaluate=[judging()],
    )
    world = a_world(model, agents=[outer, inner])
    run = world.start("Go.")
    while len(model.requests) < 8:
        world.deliver(world.bus.waiting.pop(0))
    getattr(world.process.runs, close)(run.id, owner="ada")
    assert world.run(run.id).usage.tokens == 8 * 110


def test_whoever_cancels_again_closes_the_gates_that_the_first_one_could_not():
    """Its process died between the commit and the messages; the run is cancelled all the same."""
    scene = Scene(SEND)
    scene.cancel()
    scene.world.bus.waiting.clear()
    assert (scene.status, scene.gates[0].status) == ("cancelled", "waiting")
    with pytest.raises(Conflict):
        scene.cancel()
    scene.settle()
    assert scene.gates[0].status == "cancelled"
