"""Observers see everything and change nothing (runtime/engine/observing.py)."""

import logging

import pytest

from entracte.agents import Agent, tool
from tests.runtime.scenes import a_world, events
from tests.runtime.script import Script, calls


@tool(effect="readonly")
def look() -> str:
    """Look."""
    return "seen"


class Seeing:
    """Keeps the events, and what was on the bus when they came."""

    def __init__(self):
        self.events = []

    def on_event(self, event):
        self.events.append(event)


class Raising:
    def on_event(self, event):
        raise RuntimeError("my disk is full")


CLERK = Agent(name="clerk", prompt="You look.", tools=[look])
PLANS = {"desk": [calls(("look", {}), ("clerk", {"message": "x"})), "done"], "clerk": [calls(("look", {})), "seen"]}


def test_observers_are_told_what_the_journal_says():
    """Every event of every frame, once, in the order of the commits."""
    seeing = Seeing()
    world = a_world(Script(PLANS), look, agents=[CLERK], observers=[seeing])
    run = world.ask("Go.")
    assert sorted(map(str, seeing.events)) == sorted(map(str, events(world, run)))
    kinds = [event.type for event in seeing.events]
    assert (kinds[0], kinds[-1], kinds.count("plan.ready"), kinds.count("tool.result")) == (
        "run.started",
        "run.ended",
        2,
        3,
    )
    assert sum(event.usage.model_calls for event in seeing.events) <= run.usage.model_calls


def test_causes_are_seen_before_their_consequences():
    """An event comes before the message that lets anybody act on it."""
    order = []

    class Watching:
        def on_event(self, event):
            order.append(("seen", event.type))

    world = a_world(Script(PLANS), look, agents=[CLERK], observers=[Watching()])
    publish = world.bus.publish
    world.bus.publish = lambda messages: (order.extend(("sent", m.kind) for m in messages), publish(messages))
    world.ask("Go.")
    assert order[:2] == [("seen", "run.started"), ("sent", "plan")]
    ready = order.index(("seen", "plan.ready"))
    assert order[ready + 1 : ready + 3] == [("sent", "execute"), ("sent", "execute")]
    results = [at for at, what in enumerate(order) if what == ("seen", "tool.result")]
    assert all(at < order.index(("sent", "evaluate"), at) for at in results)


@pytest.fixture
def own_logger():
    """The log of Entracte, passed on to pytest."""
    logger = logging.getLogger("entracte")
    before, logger.propagate = logger.propagate, True
    yield
    logger.propagate = before


@pytest.mark.usefixtures("own_logger")
def test_an_observer_that_raises_breaks_nothing_and_is_logged(caplog):
    """Neither the run nor the observers after it."""
    seeing = Seeing()
    world = a_world(Script(["done"]), observers=[Raising(), seeing])
    run = world.ask("Go.")
    assert (run.status, [event.type for event in seeing.events][-1]) == ("succeeded", "run.ended")
    assert f"observer_failed type=run.ended run_id={run.id}" in caplog.text


def test_an_event_says_whose_it_is():
    """Frames of sub-agents name the frames that they lie in."""
    seeing = Seeing()
    world = a_world(Script(PLANS), look, agents=[CLERK], observers=[seeing])
    run = world.ask("Go.")
    child = f"{run.id}.1.1"
    told = {(event.frame_id, event.agent, event.parents) for event in seeing.events}
    assert told == {(run.id, "desk", ()), (child, "clerk", (run.id,))}


def test_nothing_is_told_of_what_was_not_committed():
    """A move that lost its race is told once, as it was committed."""
    from entracte.errors import StaleWrite

    class Losing:
        def __init__(self, store):
            self.store, self.lost = store, 0

        def __getattr__(self, name):
            return getattr(self.store, name)

        def commit(self, writes):
            if self.lost % 2 == 0:
                self.lost += 1
                raise StaleWrite("Somebody was faster.")
            self.lost += 1
            return self.store.commit(writes)

    seeing = Seeing()
    world = a_world(Script(PLANS), look, agents=[CLERK], observers=[seeing])
    world.process = world.new_process(store=Losing)
    run = world.ask("Go.")
    assert run.status == "succeeded"
    assert sorted(map(str, seeing.events)) == sorted(map(str, events(world, run)))
