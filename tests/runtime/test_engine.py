"""One message through the engine: turns, races, deadlines (runtime/engine/engine.py, delivery.py, commits.py)."""

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.agents import ToolContext, tool
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Put
from entracte.errors import AmbiguousCommit, NewerSchema, RetryableError, StaleWrite, StoreUnavailable, TerminalError
from entracte.ports.store import Update
from entracte.runtime.engine.delivery import MAX_RACES, MAX_TURNS
from entracte.runtime.engine.process import MARGIN
from entracte.testing.bus import HeldBus
from tests.core.builders import a_run
from tests.runtime.scenes import a_world, frame, the_action, value
from tests.runtime.script import Script, calls


class Front:
    """Something in front of a port. Its commits or publishes fail as long as `failures` has errors."""

    def __init__(self, port):
        self.port, self.failures, self.tries = port, [], 0

    def __getattr__(self, name):
        return getattr(self.port, name)

    def commit(self, writes):
        self.tries += 1
        if self.failures and (error := self.failures.pop(0)) is not None:
            raise error
        return self.port.commit(writes)

    def publish(self, messages):
        if self.failures and (error := self.failures.pop(0)) is not None:
            raise error
        self.port.publish(messages)


class Stage:
    """A desk whose tool counts its calls, on a store that fails on demand."""

    def __init__(self, effect="changing"):
        self.made = 0

        @tool(effect=effect)
        def act() -> str:
            """Do something."""
            self.made += 1
            return "done"

        self.model = Script([calls(("act", {})), "done"])
        self.world = a_world(self.model, act)
        self.run = self.world.start("Go.")
        self.store = Front(self.world.store)
        self.process = self.world.new_process(store=lambda _: self.store)

    def handle(self):
        """The next message, by the process whose store fails."""
        return self.process.engine.handle(self.world.bus.waiting.pop(0))


STALE = StaleWrite("Somebody was faster.")


def test_a_model_is_asked_once_however_many_races_are_lost():
    """Its reply is kept in hand, and concluded upon again."""
    stage = Stage()
    stage.store.failures = [STALE] * 3
    stage.handle()
    assert [request.purpose for request in stage.model.requests] == ["interpret", "plan"]
    assert frame(stage.world, stage.run).cursor.phase == "execute"


@pytest.mark.parametrize("effect", ["readonly", "changing"])
def test_a_tool_is_called_once_however_many_races_are_lost(effect):
    """Its end is recorded in the end."""
    stage = Stage(effect)
    stage.handle()
    stage.store.failures = [None, STALE, STALE] if effect == "changing" else [STALE, STALE]
    stage.handle()
    assert (stage.made, value(the_action(stage.world, stage.run).result)) == (1, "done")


def test_a_delivery_that_always_loses_gives_its_message_back():
    """After a bounded number of tries."""
    stage = Stage()
    stage.store.failures = [STALE] * 99
    with pytest.raises(RetryableError, match=f"Lost {MAX_RACES} races") as caught:
        stage.handle()
    assert (caught.value.code, stage.store.tries) == ("contended", MAX_RACES)


def test_a_decision_from_outside_that_always_loses_says_so():
    """Starting, cancelling: whoever asked may ask again."""
    stage = Stage()
    stage.store.failures = [STALE] * 99
    with pytest.raises(RetryableError, match="Lost 20 races"):
        stage.process.runs.cancel(stage.run.id, owner="ada")
    assert stage.world.run(stage.run.id).status == "queued"


FULL = AmbiguousCommit("runs.db failed in a commit: database or disk is full.", remedy="Check the disk.")


def test_a_store_that_fails_in_every_commit_is_named_as_the_reason():
    """A full disk is no race, and says itself what to do, of messages as of decisions from outside."""
    stage = Stage()
    stage.store.failures = [FULL] * 99
    with pytest.raises(AmbiguousCommit, match=r"disk is full\. Check the disk\."):
        stage.handle()
    with pytest.raises(AmbiguousCommit, match="disk is full"):
        stage.process.runs.cancel(stage.run.id, owner="ada")


@pytest.mark.parametrize("error", [StoreUnavailable("Down."), STALE])
def test_an_intent_that_was_not_written_is_not_acted_upon(error):
    """No call without it."""
    stage = Stage()
    stage.handle()
    stage.store.failures = [error] * 99
    with pytest.raises(RetryableError):
        stage.handle()
    assert (stage.made, the_action(stage.world, stage.run).status) == (0, "proposed")


def test_an_ambiguous_commit_that_nobody_can_look_up_is_given_back():
    """Unreadable: do not call, come back later."""
    stage = Stage()
    stage.handle()

    def unreadable(paths):
        raise StoreUnavailable("Down.")

    stage.store.failures = [AmbiguousCommit("No answer.")]
    load = stage.store.port.load
    reads = iter([load, load, unreadable])
    stage.store.load = lambda paths: next(reads, unreadable)(paths)
    with pytest.raises(StoreUnavailable):
        stage.handle()
    assert stage.made == 0


def test_a_message_that_could_not_be_published_is_made_up_for():
    """The handler nacks; the next delivery finds the move made and publishes what it made due."""
    stage = Stage()
    bus = Front(HeldBus())
    process = stage.world.new_process(bus=lambda _: bus)
    (plan,) = stage.world.bus.waiting
    bus.failures = [RetryableError("The broker did not confirm.")]
    with pytest.raises(RetryableError, match="did not confirm"):
        process.engine.handle(plan)
    stage.world.clock.advance(seconds=6)
    assert process.engine.handle(plan) == "moved on; published again"
    assert [(message.kind, message.action) for message in bus.waiting] == [("execute", f"{stage.run.id}.1.0")]
    assert len(stage.model.requests) == 2


def test_effects_get_what_is_left_of_the_delivery():
    """Half a minute is kept for recording what was done."""
    seen = []

    @tool(timeout_s=450)
    def act(ctx: ToolContext[None]) -> str:
        """Do something."""
        seen.append(ctx.deadline_ms / 1000 - world.clock.now().timestamp())
        return "done"

    class Slow(Script):
        def generate(self, request, *, deadline_s, on_delta=None):
            seen.append(deadline_s)
            if request.purpose == "interpret":
                world.clock.advance(seconds=100)
            return super().generate(request, deadline_s=deadline_s)

    world = a_world(Slow([calls(("act", {})), "done"]), act)
    world.ask("Go.")
    whole = world.process.engine.process.timeout.total_seconds() - MARGIN.total_seconds()
    assert seen == [whole, whole - 100, 450, whole, whole]


def test_a_kind_that_nothing_handles_can_never_be_handled():
    """It is acknowledged and logged: delivering it again would change nothing."""
    world = a_world(Script(["done"]))
    with pytest.raises(TerminalError, match="Nothing handles messages of kind 'sweep'"):
        world.process.engine.handle(Message(kind="sweep", run="r"))


def test_a_phase_that_never_ends_is_stopped():
    """A bug must not spin."""

    class Endless:
        @staticmethod
        def paths(message):
            return ("runs/r",)

        @staticmethod
        def decide(s, message):
            return Outcome(more=True)

    from entracte.runtime.engine.delivery import Delivery

    world = a_world(Script(["done"]))
    with pytest.raises(RetryableError, match=f"No end after {MAX_TURNS} turns"):
        Delivery(world.process.engine, Endless, Message(kind="plan", run="r")).run()


def test_a_document_of_a_newer_schema_makes_its_message_wait_for_a_newer_version():
    """Acknowledged; `due` stays, so that whoever can read it brings it up again; the run has not failed."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    path = f"runs/{run.id}/frames/{run.id}"
    world.store.commit([Update(path, {"schema_version": 2}, world.store.load([path])[path].version)])
    before = world.documents()
    with pytest.raises(NewerSchema):
        world.process.engine.handle(world.bus.waiting[0])
    assert world.documents() == before
    assert before[path]["due"] is not None
    world.store.commit([Update(path, {"schema_version": 1}, world.store.load([path])[path].version)])
    world.settle()
    assert world.run(run.id).status == "succeeded"


def test_fields_of_a_newer_version_survive_a_whole_run():
    """Written by hand into every document, and still there when the run has ended."""
    stage = Stage()
    world = stage.world
    marked = set()
    while world.bus.waiting:
        for path, fields in world.documents().items():
            if "mood" not in fields and "/journal/" not in path:
                world.store.commit([Update(path, {"mood": {"since": 2027}}, world.store.load([path])[path].version)])
                marked.add(path)
        world.deliver(world.bus.waiting.pop(0))
    documents = world.documents()
    assert world.run(stage.run.id).status == "succeeded"
    assert {path.split("/")[-2] for path in marked} >= {"runs", "frames", "actions", "sessions"}
    assert [path for path in marked if documents[path]["mood"] != {"since": 2027}] == []


def test_an_outcome_without_an_entry_writes_nothing():
    """Its messages go out all the same: that is how a lost one is made up for."""
    world = a_world(Script(["done"]))
    message = Message(kind="plan", run="r")
    outcome = Outcome(puts=(Put("runs/r", a_run()),), messages=(message,))
    world.process.engine.apply(["runs/r"], lambda s: outcome)
    assert (world.documents(), world.bus.waiting) == ({}, [message])
    assert isinstance(world.store, MemoryStore)
