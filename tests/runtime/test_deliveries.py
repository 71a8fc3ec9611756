"""Messages that come twice, late, in any order, or not at all (healing.py, fan_in.py, delivery.py)."""

from datetime import timedelta

import pytest
from hypothesis import given, settings, strategies as st

from entracte.agents import Agent, tool
from entracte.core.due import AUTHOR_GRACE
from entracte.core.messages import Message
from entracte.testing.simulation.sameness import comparable
from entracte.testing.world import World
from tests.runtime.desk import DeskModel, Effects, desk_network
from tests.runtime.scenes import a_world, frame
from tests.runtime.script import Script, calls

SCHEDULES = st.lists(st.tuples(st.booleans(), st.integers(0, 255)), max_size=60)
"""For each delivery: whether it is a repetition, and which of the messages it is."""


def a_desk():
    """The desk network with tools that do not honour the idempotency key, and what they did."""
    effects = Effects()
    return World(desk_network(effects, idempotent=False), DeskModel()), effects


@pytest.fixture(scope="module")
def undisturbed():
    """Documents of a run whose messages came once, in order."""
    world, _ = a_desk()
    assert world.ask("Which plan is Ada on?").status == "succeeded"
    return comparable(world.documents())


def play(world, schedule):
    """Deliver by schedule, then whatever is left in order."""
    for repeat, number in schedule:
        if repeat:
            world.deliver(world.bus.published[number % len(world.bus.published)])
        elif world.bus.waiting:
            world.deliver(world.bus.waiting.pop(number % len(world.bus.waiting)))
    world.settle()


@given(SCHEDULES)
@settings(max_examples=40, deadline=None)
def test_repeated_and_reordered_messages_come_to_the_same_documents(undisturbed, schedule):
    """The subject decides what is done, not the message."""
    world, effects = a_desk()
    world.start("Which plan is Ada on?")
    play(world, schedule)
    assert comparable(world.documents()) == undisturbed
    assert set(effects.calls.values()) == {1}


@given(st.randoms(use_true_random=False), st.integers(0, 90))
@settings(max_examples=10, deadline=None)
def test_messages_that_come_after_the_end_change_nothing_at_all(random, days):
    """Every message ever published once more, in any order, at once or long after: not a byte changes."""
    world, effects = a_desk()
    world.ask("Which plan is Ada on?")
    before, late = world.documents(), list(world.bus.published)
    random.shuffle(late)
    world.clock.advance(days=days)
    for message in late:
        world.deliver(message)
    assert world.documents() == before
    assert (world.bus.waiting, set(effects.calls.values())) == ([], {1})


def test_a_message_that_was_never_sent_is_made_up_for_by_sweep(undisturbed):
    """Whichever it is: the frame is due, and says what it calls for."""
    world, _ = a_desk()
    world.ask("Which plan is Ada on?")
    for lost in range(len(world.bus.published)):
        world, effects = a_desk()
        world.start("Which plan is Ada on?")
        sent = 0
        while world.bus.waiting:
            message = world.bus.waiting.pop(0)
            if sent != lost:
                world.deliver(message)
            sent += 1
        for _ in range(3):
            world.clock.advance(minutes=31)
            world.sweep()
            world.settle()
        assert comparable(world.documents()) == undisturbed, f"without message {lost}"
        assert set(effects.calls.values()) == {1}


@tool(effect="readonly")
def look_up(name: str) -> str:
    """Look a customer up."""
    return f"{name} is on Pro"


TWO = calls(("look_up", {"name": "Ada"}), ("look_up", {"name": "Grace"}))


def sent_by(world, message):
    """What the delivery of a message makes the bus carry."""
    before = len(world.bus.published)
    note = world.deliver(message)
    return note, world.bus.published[before:]


@pytest.fixture
def desk():
    """A run whose first plan was delivered: its world, its run, the plan's message, what it sent."""
    world = a_world(Script([TWO, "done"]), look_up)
    run = world.start("Go.")
    plan = world.bus.waiting.pop(0)
    _, sent = sent_by(world, plan)
    return world, run, plan, sent


def test_a_repeated_message_is_told_to_come_later_while_its_move_is_young(desk):
    """Its author is still publishing; publishing as well would make two chains of one."""
    world, _, plan, _ = desk
    world.clock.advance(seconds=AUTHOR_GRACE.total_seconds() - 0.001)
    assert sent_by(world, plan) == ("again later: just_moved", [])


def test_a_repeated_message_publishes_its_successors_once_its_move_is_older(desk):
    """Its author may have died between commit and publish; nothing is done again."""
    world, run, plan, sent = desk
    before = frame(world, run)
    world.clock.advance(seconds=AUTHOR_GRACE.total_seconds())
    note, again = sent_by(world, plan)
    assert (note, again) == ("moved on; published again", sent)
    assert frame(world, run) == before


def test_a_message_whose_successor_has_moved_on_publishes_nothing(desk):
    """What that move made due did arrive."""
    world, _, plan, _ = desk
    for _ in range(3):  # two calls, evaluate
        world.deliver(world.bus.waiting.pop(0))
    world.clock.advance(hours=1)
    assert sent_by(world, plan) == ("moved on", [])


def test_a_call_whose_results_were_taken_publishes_nothing(desk):
    """However late its message comes again."""
    world, _, _, (first, _) = desk
    for _ in range(3):  # two calls, evaluate
        world.deliver(world.bus.waiting.pop(0))
    world.clock.advance(hours=1)
    assert sent_by(world, first) == ("the step's results have been taken", [])


def test_a_message_ahead_of_its_frame_does_nothing(desk):
    """It comes from a move that was never committed."""
    world, run, _, _ = desk
    for kind in ("plan", "evaluate"):
        early = Message(kind=kind, run=run.id, session=run.session, frame=run.id, step=2, calls=2)
        assert sent_by(world, early) == ("ahead of its frame", [])


def test_an_evaluate_message_before_its_calls_have_ended_does_nothing(desk):
    """Whoever ends the last of them sends it again."""
    world, run, _, _ = desk
    early = Message(kind="evaluate", run=run.id, session=run.session, frame=run.id, step=1, calls=2)
    assert sent_by(world, early) == ("calls of the step have not ended", [])


def test_a_repeated_execute_message_publishes_the_fan_in_again_once_its_end_is_older(desk):
    """The delivery that ended the last call may have died before saying so."""
    world, _, _, (first, second) = desk
    world.deliver(first)
    _, (evaluate,) = sent_by(world, second)
    world.bus.waiting.clear()
    assert sent_by(world, second) == ("again later: just_moved", [])
    world.clock.advance(seconds=5)
    assert sent_by(world, second) == ("published", [evaluate])


def test_the_end_of_a_child_is_told_again_until_its_parent_has_taken_it():
    """By its own last message, as long as the child's end is due."""
    clerk = Agent(name="clerk", prompt="You note.", light=True)
    world = a_world(Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["noted"]}), agents=[clerk])
    world.start("Go.")
    for _ in range(2):
        world.deliver(world.bus.waiting.pop(0))
    childs_plan = world.bus.waiting.pop(0)
    _, sent = sent_by(world, childs_plan)
    world.clock.advance(seconds=10)
    assert sent_by(world, childs_plan) == ("moved on; published again", sent)
    world.settle()
    assert sent_by(world, childs_plan)[1] == []


def test_messages_about_nothing_are_acknowledged():
    """Their run was deleted, or they were made up."""
    world = a_world(Script(["done"]))
    for kind in ("plan", "execute", "evaluate"):
        message = Message(kind=kind, run="gone", session="gone", frame="gone", action="gone.1.0", step=1, calls=1)
        assert sent_by(world, message)[1] == []
    assert world.documents() == {}


def test_the_grace_is_longer_than_a_publish_takes_and_shorter_than_the_retries():
    """Else a repeated message would be given up before it may act."""
    from entracte.runtime.local.local_bus import RETRY_PAUSES_S

    assert timedelta(seconds=1) < AUTHOR_GRACE < timedelta(seconds=sum(RETRY_PAUSES_S))
