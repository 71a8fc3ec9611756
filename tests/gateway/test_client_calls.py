"""Calls of MCP clients as runs: recorded, undone, and over when the client has left (runtime/…/client_calls.py)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from entracte.core.addresses import session_path
from entracte.core.client_calls.client import MAX_CALLS
from entracte.core.client_calls.opening import Client, open_run
from entracte.core.due import execute_message, plan_message
from entracte.errors import Forbidden, NotFound
from tests.gates.shop import Shop, raising
from tests.gateway.counter import ADA, AGAIN, Counter
from tests.runtime.scenes import events, frame

MALLORYS = Client(owner="mallory", session=ADA.session)


@pytest.fixture
def counter():
    """A shop that clients call at."""
    return Counter()


def test_a_reading_call_is_made_and_recorded(counter):
    """The client gets what the tool gave, and the journal has the call."""
    answered = counter.ask("read", id=1)
    assert (answered.answer, answered.outcome.ending, answered.outcome.raw["plan"]) == ("new", "applied", "Free")
    assert (counter.action(answered).status, counter.action(answered).result.value["plan"]) == ("applied", "Free")
    kinds = [event.type for event in events(counter.world, counter.run(answered))]
    assert kinds == ["run.started", "plan.ready", "tool.called", "tool.result"]


def test_a_change_keeps_what_it_replaced_and_can_be_undone(counter):
    """Exactly as a change that an agent of our own made."""
    answered = counter.ask("write", id=1, plan="Pro")
    action = counter.action(answered)
    assert (action.status, action.policy_class, action.snapshot.value.value["plan"]) == (
        "applied",
        "reversible",
        "Free",
    )
    counter.world.process.runs.undo(action.run, owner="ada")
    counter.world.settle()
    assert (counter.run(answered).status, counter.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_the_calls_of_a_session_are_one_run(counter):
    """Each is a step; another session's are another run."""
    first, second, other = counter.ask("read", id=1), counter.ask("read", id=2), counter.ask("read", AGAIN, id=1)
    assert second.action.id == f"{first.action.run}.2.0"
    assert other.action.run != first.action.run
    assert [run.status for run in counter.runs.items] == ["running", "running"]


def test_another_process_goes_on_with_the_sessions_run(counter):
    """Instances of a function keep nothing that the next one would need."""
    first = counter.ask("read", id=1)
    second = counter.elsewhere().call(ADA, "read", {"id": 1})
    assert second.action.id == f"{first.action.run}.2.0"


def test_a_run_ends_when_its_client_leaves(counter):
    """It says how much was asked for."""
    answered = counter.ask("read", id=1)
    counter.leave()
    run = counter.run(answered)
    assert (run.status, run.stop_reason, run.output.value) == (
        "succeeded",
        "terminated",
        "The client has left after 1 call.",
    )
    assert frame(counter.world, run).ended


def test_a_client_that_leaves_without_a_call_leaves_nothing(counter):
    """Looking at the tools is no run."""
    counter.leave()
    assert counter.runs.items == ()


def test_a_run_ends_when_its_client_is_silent(counter):
    """A client that was killed says no word of farewell."""
    answered = counter.ask("read", id=1)
    counter.pass_time(minutes=29)
    assert counter.run(answered).status == "running"
    counter.pass_time(minutes=2)
    assert counter.run(answered).status == "succeeded"


def test_a_message_that_comes_too_early_ends_no_run(counter):
    """Buses repeat messages whenever they like; the client may call again at any moment."""
    answered = counter.ask("read", id=1)
    root = frame(counter.world, counter.run(answered))
    counter.world.deliver(plan_message(root, step=root.cursor.step))
    assert counter.run(answered).status == "running"


def test_a_session_has_one_run_however_its_first_calls_race(counter):
    """Whoever finds that another call has just named one opens none."""
    first = counter.ask("read", id=1)
    engine = counter.world.process.engine
    raced = engine.apply((session_path(ADA.session),), lambda s: open_run(s, ADA, run_id="other"))
    assert (raced.entry, [run.id for run in counter.runs.items]) == (None, [first.action.run])


def test_a_silent_client_that_comes_back_gets_another_run(counter):
    """A closed run is never opened again."""
    first = counter.ask("read", id=1)
    counter.pass_time(minutes=31)
    second = counter.ask("read", id=1)
    assert second.action.run != first.action.run
    assert (counter.run(first).status, counter.run(second).status) == ("succeeded", "running")


def test_a_run_that_was_undone_takes_no_more_calls(counter):
    """Whoever takes a live session back has what it does next in a run of its own."""
    first = counter.ask("write", id=1, plan="Pro")
    counter.world.process.runs.undo(first.action.run, owner="ada")
    counter.world.settle()
    second = counter.ask("write", id=1, plan="Team")
    assert second.action.run != first.action.run
    assert (counter.run(first).status, counter.shop.plans()[1]) == ("undone", "Team")


def test_a_run_is_bounded(counter, monkeypatch):
    """A client that calls without end makes many runs that can be shown, not one that cannot."""
    monkeypatch.setattr("entracte.core.client_calls.opening.MAX_CALLS", 2)
    asked = [counter.ask("read", id=1).action.run for _ in range(5)]
    assert len(set(asked)) == 3
    assert MAX_CALLS == 1000


def test_arguments_that_do_not_fit_are_a_failed_call(counter):
    """The client is told; nothing was called."""
    answered = counter.ask("write", id="one")
    assert (answered.outcome, answered.action.status) == (None, "failed")
    assert "The arguments do not fit" in answered.action.error


def test_a_tool_that_refuses_is_a_failed_call(counter):
    """It says that it did nothing, and so does the record."""
    answered = counter.ask("read", id=7)
    assert (answered.outcome.ending, answered.outcome.error) == ("failed", "Record 7 is not there.")


def test_a_tool_that_is_not_there_is_told(counter):
    """No action is made of it."""
    with pytest.raises(NotFound, match="There is no tool 'fly'"):
        counter.ask("fly")
    assert counter.runs.items == ()


def test_a_call_whose_client_has_gone_is_not_made(counter):
    """A process died after it had written down what was asked for. Nobody waits for it any more."""
    engine = counter.world.process.engine
    write = engine.blueprint.tools["write"]
    asked = counter.calls._ask(ADA, write, {"id": 1, "plan": "Pro"})
    counter.pass_time(minutes=31)
    engine.handle(execute_message(asked.action))
    action = counter.action(asked)
    assert (action.status, action.error) == ("cancelled", "The client went away before this call was made.")
    assert counter.shop.done == []


def test_parallel_calls_of_a_session_all_get_their_own_step(counter):
    """However many at once, in one run."""
    with ThreadPoolExecutor(8) as threads:
        jobs = [threads.submit(counter.ask, "read", id=1) for _ in range(16)]
        asked = [job.result(30) for job in jobs]
    assert {answered.action.step for answered in asked} == set(range(1, 17))
    assert len({answered.action.run for answered in asked}) == 1


def test_a_change_under_way_can_be_waited_for():
    """A process that is about to end records it, rather than leave it in doubt."""
    shop = Shop()
    counter, going, let_go = Counter(shop), Event(), Event()
    shop.before["add"] = lambda: (going.set(), let_go.wait(30))
    with ThreadPoolExecutor(1) as threads:
        job = threads.submit(counter.ask, "add", plan="Pro")
        assert going.wait(30) and not counter.calls.wait_quiet(0)
        let_go.set()
        assert counter.calls.wait_quiet(30)
        assert counter.action(job.result(30)).status == "applied"


def test_a_call_whose_process_died_is_in_doubt(counter):
    """It was begun, and its end was never recorded: the client that asks again is told so, and it is not made twice."""
    shop = Shop()
    counter = Counter(shop)
    shop.after["add"] = raising(RuntimeError("cut off"))
    first = counter.ask("add", plan="Pro")
    again = counter.ask("add", plan="Pro")
    assert (first.action.status, again.answer, again.action.id) == ("unknown", "held", first.action.id)
    assert shop.done == [("add", "Pro")]


@pytest.mark.parametrize(("tool", "arguments"), [("read", {}), ("write", {"plan": "Pro"})])
def test_a_client_does_not_work_in_a_session_of_somebody_else(counter, tool, arguments):
    """What its tools keep there would be read by whoever owns the session, or its calls be another's run."""
    counter.ask("read", MALLORYS, id=1)
    with pytest.raises(Forbidden, match="somebody else's"):
        counter.ask(tool, id=1, **arguments)
    assert (counter.shop.done, counter.runs.items) == ([], ())
