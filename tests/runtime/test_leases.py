"""Who may make a call, and what becomes of one whose end nobody recorded (phases/execute.py, phases/calling.py)."""

from datetime import timedelta
from threading import Event, Thread

import pytest

from entracte.agents import Agent, Budget, ToolContext, ToolError, tool
from entracte.runtime.engine.process import LEASE_MARGIN
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from tests.runtime.scenes import a_world, events, frame, the_action, value
from tests.runtime.script import Script, calls

WAIT_S = 20


class Stage:
    """A world with one tool whose body the test gives, and the message that asks for its call."""

    def __init__(self, act, *, idempotent=False, **network):
        self.keys = []

        @tool(idempotent=idempotent)
        def change(ctx: ToolContext[None]) -> str:
            """Change something."""
            self.keys.append((ctx.idempotency_key, ctx.attempt))
            return act(self, ctx.attempt)

        self.model = Script([calls(("change", {})), "done"])
        self.world = a_world(self.model, change, **network)
        self.run = self.world.start("Go.")
        self.world.deliver(self.world.bus.waiting.pop(0))
        self.execute = self.world.bus.waiting.pop(0)

    def again(self):
        """Deliver the message once more, to another process."""
        return self.world.deliver(self.execute, self.world.new_process())

    def lease_ends(self):
        """Time passes until it has."""
        self.world.clock.advance(seconds=self.world.process.engine.process.timeout.total_seconds() + 60)

    def die_calling(self):
        """Deliver to a process that dies when it would record the end."""
        fuse = Fuse(3)  # load, commit of the intent and after it, commit of the end
        with pytest.raises(Crash):
            self.world.deliver(self.execute, self.world.new_process(store=lambda store: CrashingStore(store, fuse)))

    @property
    def action(self):
        return the_action(self.world, self.run)

    @property
    def status(self):
        return self.world.run(self.run.id).status


def test_a_delivery_that_finds_a_live_lease_leaves_the_call_alone():
    """It acknowledges: `due` covers the holder's death."""
    notes = []

    def act(stage, attempt):
        notes.append((stage.again(), stage.action.status))
        return "done"

    stage = Stage(act)
    stage.again()
    assert notes == [("another delivery holds the lease", "started")]
    assert (stage.keys, stage.action.status) == ([(stage.action.id, 1)], "applied")


def test_the_intent_is_written_before_the_call():
    """With attempt, lease, arguments and a date at which somebody looks again."""
    seen = []
    stage = Stage(lambda stage, attempt: seen.append(stage.action) or "done")
    stage.again()
    (intent,) = seen
    environment = stage.world.process.engine.process
    assert (intent.status, intent.attempt, value(intent.effective)) == ("started", 1, {})
    assert intent.lease.expires == intent.due == intent.started + environment.timeout + LEASE_MARGIN
    assert stage.action.lease is stage.action.due is None


def test_a_call_that_honours_no_key_is_in_doubt_once_its_lease_has_ended():
    """Nobody repeats a change silently: the run waits for a person."""
    stage = Stage(lambda stage, attempt: "done")
    stage.die_calling()
    assert (stage.action.status, stage.status) == ("started", "running")
    stage.lease_ends()
    stage.again()
    assert (stage.action.status, stage.status, len(stage.keys)) == ("unknown", "waiting", 1)
    assert "started and its end was never recorded" in stage.action.error
    assert frame(stage.world, stage.run).parked


def test_a_call_that_honours_its_key_is_made_again_with_the_same_key():
    """As attempt 2, after an intent of its own."""
    stage = Stage(lambda stage, attempt: f"attempt {attempt}", idempotent=True)
    stage.die_calling()
    stage.lease_ends()
    stage.again()
    assert stage.keys == [(stage.action.id, 1), (stage.action.id, 2)]
    assert (stage.action.status, value(stage.action.result)) == ("applied", "attempt 2")
    called = events(stage.world, stage.run, "tool.called")
    assert [event.data["attempt"] for event in called] == [1, 2]


def test_no_call_is_made_again_in_a_run_that_was_closed():
    """Not even one that honours its key: nothing is begun after a cancel."""
    stage = Stage(lambda stage, attempt: "done", idempotent=True)
    stage.die_calling()
    stage.world.process.runs.cancel(stage.run.id, owner="ada")
    stage.lease_ends()
    stage.again()
    assert (len(stage.keys), stage.action.status, stage.status) == (1, "unknown", "cancelled")


def test_a_readonly_call_needs_no_intent_and_is_simply_made_again():
    """Whatever died, nothing happened."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    world = a_world(Script([calls(("look", {})), "done"]), look)
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    with pytest.raises(Crash):
        world.deliver(world.bus.waiting[0], world.new_process(store=lambda s: CrashingStore(s, Fuse(1))))
    assert the_action(world, run).status == "proposed"
    world.settle()
    assert (the_action(world, run).status, world.run(run.id).status) == ("applied", "succeeded")


@pytest.mark.parametrize(("says", "status"), [(None, "applied"), (ToolError("Nothing to do."), "failed")])
def test_a_late_result_of_the_current_attempt_settles_the_doubt(says, status):
    """A lease stops no thread: the end is recorded whenever it comes, and the run goes on."""

    def act(stage, attempt):
        stage.lease_ends()
        stage.again()
        assert (stage.action.status, stage.status) == ("unknown", "waiting")
        if says is not None:
            raise says
        return "late"

    stage = Stage(act)
    stage.again()
    assert (stage.action.status, stage.status, len(stage.keys)) == (status, "running", 1)
    stage.world.settle()
    assert stage.status == "succeeded"


def test_a_late_result_wakes_everything_that_was_parked_around_it():
    """Frames are due again, so that a message lost now is made up for; the waiting does not count as time used."""
    outer = {}

    @tool
    def change() -> str:
        """Change something."""
        world, execute = outer["world"], outer["execute"]
        world.clock.advance(minutes=11)
        world.deliver(execute, world.new_process())
        world.settle()
        outer["parked"] = [f.due for f in world.process.runs.frames(outer["run"])], world.run(outer["run"].id).status
        world.clock.advance(days=3)
        return "late"

    clerk = Agent(name="clerk", prompt="You change.", tools=[change])
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": [calls(("change", {})), "done"]})
    world = a_world(model, agents=[clerk], budget=Budget(wall_s=3600))
    run = world.start("Go.")
    for _ in range(3):
        world.deliver(world.bus.waiting.pop(0))
    outer |= {"world": world, "run": run, "execute": world.bus.waiting.pop(0)}
    world.deliver(outer["execute"])
    awake = world.run(run.id)
    assert outer["parked"] == ([None, None], "waiting")
    assert (awake.status, awake.parked, timedelta(milliseconds=awake.parked_ms)) == ("running", None, timedelta(days=3))
    assert [f.due for f in world.process.runs.frames(run)] == [world.clock.now() + timedelta(minutes=15)] * 2
    world.bus.waiting.clear()  # the very next message is lost
    world.clock.advance(minutes=15)
    world.sweep()
    world.settle()
    assert (world.run(run.id).status, world.run(run.id).stop_reason) == ("succeeded", "answered")


def test_a_late_end_that_is_in_doubt_too_changes_nothing():
    """The doubt stays, and nobody tries for ever to record it twice."""

    def act(stage, attempt):
        stage.lease_ends()
        stage.again()
        raise TimeoutError("no answer from the CRM")

    stage = Stage(act)
    assert stage.again() == "in doubt already"
    assert (stage.action.status, stage.status, len(stage.keys)) == ("unknown", "waiting", 1)


def test_an_older_attempt_that_comes_back_puts_the_newer_one_in_doubt():
    """Two calls were made; it is journaled, and the newer one's own end settles it."""
    second_is_under_way, first_is_recorded = Event(), Event()

    def act(stage, attempt):
        if attempt == 1:
            stage.lease_ends()
            threads.append(Thread(target=stage.again))
            threads[0].start()
            assert second_is_under_way.wait(WAIT_S)
            return "first"
        second_is_under_way.set()
        assert first_is_recorded.wait(WAIT_S)
        return "second"

    threads = []
    stage = Stage(act, idempotent=True)
    stage.again()
    assert (stage.action.status, stage.action.attempt) == ("unknown", 2)
    assert stage.action.error == "Attempt 1 ended (applied) after attempt 2 had been started."
    first_is_recorded.set()
    threads[0].join(WAIT_S)
    assert (stage.action.status, value(stage.action.result)) == ("applied", "second")
    stage.world.settle()
    assert stage.status == "succeeded"


def test_what_an_older_attempt_comes_to_after_the_newer_one_is_journaled():
    """Attempt 2 has ended well under the same key; what attempt 1 says after that changes nothing else."""

    def act(stage, attempt):
        if attempt == 1:
            stage.lease_ends()
            stage.again()
        return f"attempt {attempt}"

    stage = Stage(act, idempotent=True)
    note = stage.again()
    (told,) = events(stage.world, stage.run, "error")
    assert (note, stage.action.status, value(stage.action.result), stage.action.warnings) == (
        f"{stage.action.id}.1.late",
        "applied",
        "attempt 2",
        (),
    )
    assert told.data["message"] == "Attempt 1 ended (applied) after attempt 2 had been started."


def test_an_older_attempt_that_times_out_after_the_newer_one_says_nothing():
    """Nobody has learned anything; when it ends for good, that is journaled."""

    def act(stage, attempt):
        if attempt == 1:
            stage.lease_ends()
            stage.again()
            raise TimeoutError("no answer from the CRM")
        return "second"

    stage = Stage(act, idempotent=True)
    assert (stage.again(), stage.action.status) == ("recorded by another delivery", "applied")


def test_no_call_starts_under_a_lease_of_its_own_delivery_twice():
    """An ambiguous intent is recognised by the lease's holder, and the call is made once."""
    from entracte.testing.crashing import AmbiguousStore

    stage = Stage(lambda stage, attempt: "done")
    fuse = Fuse(1)  # load, then the commit of the intent
    stage.world.deliver(stage.execute, stage.world.new_process(store=lambda store: AmbiguousStore(store, fuse)))
    assert (stage.action.status, len(stage.keys)) == ("applied", 1)
