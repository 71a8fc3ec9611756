"""A JSON value of any shape goes through tool result, action and journal and back unchanged, on every store."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from hypothesis import HealthCheck, given, settings, strategies as st

from entracte.agents import Agent, Models, Network, tool
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, WantedCall
from entracte.ports.store import Store
from entracte.runtime.services.rendering import action_json, entry_json
from entracte.testing.world import World

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

AWKWARD = {
    "": [[[]], [[1, 2], [3.5, None]]],
    "a.b": {"__x__": -0.0, "`": 2**70},
    "\x00": "\U0001f600 日本語",
    "1": True,
}


class OneCall:
    """Calls the tool once, then answers."""

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        if request.step == 1:
            return ModelReply(calls=(WantedCall("give", {}),))
        return ModelReply(value="given")


def round_trip(store: Store, value: Any) -> tuple[Any, Any]:
    """What the action and the journal say that the tool gave."""

    @tool(effect="readonly")
    def give() -> Any:
        """Give it."""
        return value

    network = Network(entry=Agent(name="giver", tools=[give], light=True), models=Models(main="one/call"))
    world = World(network, OneCall(), store=store)
    run = world.ask("give", key=uuid4().hex)
    assert run.status == "succeeded", run.error
    (action,) = world.process.runs.actions(run)
    events = [event for entry in world.process.runs.journal(run).items for event in entry_json(entry)["events"]]
    (result,) = [event["data"]["result"] for event in events if event["type"] == "tool.result"]
    return action_json(action)["result"], result


def same(one: Any, other: Any) -> bool:
    """Equal in value and type, all the way down: 1 is neither 1.0 nor true."""
    return (
        repr(one) == repr(other)
        or (
            type(one) is type(other) is dict and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
        )
        or (type(one) is type(other) is list and len(one) == len(other) and all(map(same, one, other)))
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=JSON)
def test_a_value_of_any_shape_comes_back_unchanged(store: Store, value: Any):
    """Whatever JSON can say, whatever Firestore's own types cannot."""
    in_action, in_journal = round_trip(store, value)
    assert same(in_action, value), value
    assert same(in_journal, value), value


def test_awkward_values_come_back_unchanged(store: Store):
    """Lists in lists, keys that Firestore reserves, integers beyond 64 bits, minus zero, NUL."""
    in_action, in_journal = round_trip(store, AWKWARD)
    assert same(in_action, AWKWARD)
    assert same(in_journal, AWKWARD)


def test_three_megabytes_come_back_unchanged(store: Store):
    """Three times what a Firestore document may hold: the text lies in chunks beside the documents."""
    value = {"rows": [{"n": n, "text": "日本語 and more " * 40} for n in range(3_600)]}
    assert round_trip(store, value) == (value, value)
