"""Tools that look at their own calls before policy and people do (`prepare`)."""

import pytest

from entracte.agents import ToolError, tool
from entracte.core.calls import Prepared
from entracte.core.policy.policy import Policy
from entracte.errors import StoreUnavailable
from entracte.testing.world import World
from tests.runtime.scenes import a_world, the_action, told, value
from tests.runtime.script import Script, calls

ROOMS = {"r-1": "the blue room"}


class Painting:
    """A run whose agent wants the blue room painted by a tool that prepares its calls so."""

    def __init__(self, prepare, **options):
        self.done = []

        @tool(prepare=prepare, **options)
        def paint(room: str) -> str:
            """Paint a room."""
            self.done.append(room)
            return room

        self.model = Script([calls(("paint", {"room": "the blue"})), "done"])
        self.world: World = a_world(self.model, paint, policy=Policy())
        self.run = self.world.ask("Go.")

    @property
    def action(self):
        return the_action(self.world, self.run)


def by_id(arguments, ctx):
    """The room's id in place of what it is called."""
    found = next((id for id, name in ROOMS.items() if name.startswith(arguments["room"])), None)
    if found is None:
        raise ToolError(f"There is no room {arguments['room']!r}.")
    return Prepared(arguments={"room": found}, diff=("@@ -1 +1 @@", "-blue", "+red"))


def test_what_is_prepared_is_what_people_see_and_what_is_called(monkeypatch):
    """Gate, digest and call go by the prepared arguments; what they refer to is looked up once, at first."""
    monkeypatch.setitem(ROOMS, "r-1", "the blue room")
    painting = Painting(by_id)
    (gate,) = painting.world.process.gates.of_run(painting.run.id)
    assert gate.preview == (
        "paint: Paint a room.",
        "what changes:",
        "|  @@ -1 +1 @@",
        "|- blue",
        "|+ red",
        "  room: r-1",
    )
    ROOMS["r-1"] = "the red room"
    painting.world.process.gates.decide(gate.id, "approve", user="ada", via="http", operator=True)
    painting.world.settle()
    assert (painting.done, value(painting.action.called_with)) == (["r-1"], {"room": "r-1"})


def test_a_readonly_call_is_prepared_too():
    """What it refers to is resolved in the same way, and recorded."""
    painting = Painting(by_id, effect="readonly")
    assert (painting.done, value(painting.action.called_with)) == (["r-1"], {"room": "r-1"})


def test_what_cannot_be_prepared_is_refused_before_anybody_is_asked(monkeypatch):
    """A person is not asked about a call that cannot be made."""
    monkeypatch.setitem(ROOMS, "r-1", "the red room")
    painting = Painting(by_id)
    assert (painting.action.status, painting.action.error, painting.done) == (
        "failed",
        "There is no room 'the blue'.",
        [],
    )
    assert told(painting.model, 2) == ["paint failed: There is no room 'the blue'."]


def test_a_fault_while_preparing_is_a_failure_and_no_doubt():
    """Nothing has been called yet, so everybody knows that nothing happened."""

    def break_off(arguments, ctx):
        raise ValueError("no map")

    assert (Painting(break_off).action.status, Painting(break_off).action.error) == (
        "failed",
        "The call could not be prepared: no map",
    )


@pytest.mark.parametrize("effect", ["readonly", "changing"])
def test_a_store_that_is_away_while_preparing_is_tried_again(effect):
    """The message is given back, and the next delivery prepares the call."""
    tries = []

    def once_away(arguments, ctx):
        tries.append(arguments)
        if len(tries) == 1:
            raise StoreUnavailable("Away.")
        return by_id(arguments, ctx)

    painting = Painting(once_away, effect=effect)
    assert (painting.action.error, len(tries)) == ("", 2)
