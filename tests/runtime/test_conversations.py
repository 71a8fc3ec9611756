"""Sessions: what one run leaves for the next (documents/session.py, core/asking/context.py)."""

from datetime import UTC, datetime

import pytest

from entracte.agents import tool
from entracte.core.runs.starting import RunRequest
from entracte.errors import InvalidInput, NotFound
from tests.runtime.scenes import a_world
from tests.runtime.script import Script, calls, judging


@tool(effect="readonly")
def look() -> str:
    """Look."""
    return "seen"


def test_the_conversation_so_far_goes_into_the_next_runs_context():
    """Both sides of it; the question itself stands apart."""
    model = Script(["Ada is on Pro."])
    world = a_world(model)
    world.ask("Which plan is Ada on?", key="1")
    world.ask("And since when?", key="2")
    first, second = (model.requests[0], model.requests[-1])
    assert first.part("conversation") == ""
    assert second.part("conversation") == "user: Which plan is Ada on?\nassistant: Ada is on Pro."
    assert second.part("input") == "And since when?"


def test_what_the_session_knows_is_known_to_its_next_run():
    """Facts stay, goals were the run's own."""
    model = Script(
        [calls(("look", {})), "done"],
        interpret=[{"goals": ["look"], "tasks": []}],
        evaluate=[judging({"facts": ["the sea is blue"]})],
    )
    world = a_world(model, look)
    world.ask("Look.", key="1")
    world.ask("Again.", key="2")
    state = [request for request in model.requests if request.purpose == "interpret"][1].part("state")
    assert state == '{"facts": [{"id": "F_001", "text": "the sea is blue"}]}'


def test_another_session_knows_nothing_of_it():
    """Without a session, a run has one of its own."""
    model = Script(["done"])
    world = a_world(model)
    world.ask("Which plan is Ada on?", key="1", session="a")
    world.ask("And since when?", key="2", session="b")
    assert model.requests[-1].part("conversation") == ""


def test_a_session_belongs_to_whoever_began_it():
    """Others are told that there is none."""
    world = a_world(Script(["done"]))
    world.ask("Hello.", session="mine")
    with pytest.raises(NotFound, match="There is no session 'mine'"):
        world.process.runs.start(RunRequest(input={"message": "x"}, session="mine"), owner="eve")


def test_a_run_that_fails_leaves_its_reason_in_the_conversation():
    """The next answer can refer to it."""
    from entracte.errors import ModelRefused

    model = Script([ModelRefused("No such model.")])
    world = a_world(model)
    run = world.ask("Go.")
    (_, answer) = world.process.runs.turns(world.process.runs.session("session", owner="ada")).items
    assert (run.status, answer.role, answer.text, answer.number) == ("failed", "assistant", "(No such model.)", 2)


def test_turns_are_numbered_through_all_runs_of_a_session():
    """Also when two of them end at the same time."""
    world = a_world(Script(["done"]))
    runs = [world.start(f"Question {n}", key=str(n)) for n in range(3)]
    world.settle()
    turns = world.process.runs.turns(world.process.runs.session("session", owner="ada")).items
    assert [turn.number for turn in turns] == [1, 2, 3, 4, 5, 6]
    assert {turn.run for turn in turns} == {run.id for run in runs}


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("UTC", "It is Thursday 2026-01-01 09:00 (UTC)."),
        ("Asia/Tokyo", "It is Thursday 2026-01-01 18:00 (Asia/Tokyo)."),
        ("America/Los_Angeles", "It is Thursday 2026-01-01 01:00 (America/Los_Angeles)."),
    ],
)
def test_the_agent_is_told_the_time_where_its_user_is(zone, words):
    """With the day of the week, which models get wrong."""
    model = Script(["done"])
    world = a_world(model)
    world.process.runs.start(RunRequest(input={"message": "Hi"}, time_zone=zone), owner="ada")
    world.settle()
    assert all(request.part("status").startswith(words) for request in model.requests)
    assert world.clock.now() == datetime(2026, 1, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../../etc/passwd", "utc+9 or so", "\0", "A" * 1000])
def test_a_time_zone_that_there_is_not_is_refused_before_the_run_begins(zone):
    """Rather than by every plan of it."""
    world = a_world(Script(["done"]))
    with pytest.raises(InvalidInput, match="time zone") as caught:
        world.process.runs.start(RunRequest(input={"message": "Hi"}, time_zone=zone), owner="ada")
    assert caught.value.pointer == "/time_zone"
    assert world.documents() == {}


def test_the_same_key_with_the_same_request_finds_the_run():
    """A caller who got no answer asks again; nothing is started twice."""
    model = Script(["done"])
    world = a_world(model)
    first = world.ask("Go.", key="k")
    again = world.start("Go.", key="k")
    assert (again.id, again.status, world.bus.waiting, len(model.requests)) == (first.id, "succeeded", [], 2)


def test_the_same_key_with_another_request_is_refused():
    """It was a mistake, and nobody should get the other request's answer."""
    world = a_world(Script(["done"]))
    world.ask("Go.", key="k")
    with pytest.raises(InvalidInput, match="used with another request") as caught:
        world.start("Stop.", key="k")
    assert caught.value.code == "idempotency_key_reused"


@pytest.mark.parametrize("initial_tool", ["", look])
def test_a_retried_request_sends_the_first_message_again(initial_tool):
    """It may never have been sent: the process died between commit and publish."""
    world = a_world(Script(["done"]), look, desk={"initial_tool": initial_tool})
    run = world.start("Go.", key="k")
    world.bus.waiting.clear()
    world.start("Go.", key="k")
    world.settle()
    assert world.run(run.id).status == "succeeded"
