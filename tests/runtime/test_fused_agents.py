"""Fused agents: a step costs one model call (frames/fusing.py)."""

import pytest

from entracte.agents import Agent, Budget, Models, Network, ToolError, tool
from entracte.core.modelling import ModelReply
from entracte.errors import ConfigurationError
from entracte.testing.crashing import each_death
from entracte.testing.simulation.sameness import comparable
from tests.runtime.scenes import a_world, actions
from tests.runtime.script import Script, calls, judging, results


@tool(effect="readonly")
def measure(station: int) -> str:
    """Measure."""
    if station == 13:
        raise ToolError("Station 13 is closed.")
    return f"{station} degrees"


def naming(*stations, state=None):
    """Evaluate's reply: all is well, and at these stations it goes on, one a step."""

    def reply(request):
        (call,) = results(request)
        there = call["arguments"]["station"]
        after = stations[stations.index(there) + 1 :][:1] if there in stations else ()
        named = [{"tool": "measure", "arguments": {"station": station}} for station in after]
        value = judging(state or {"facts": [f"measured {there}"]})(request).value
        may_name = "next" in request.schema["properties"]
        return ModelReply(value=value | ({"next": named} if may_name else {}))

    return reply


def a_desk(*stations, desk=(), **how):
    """A world with a fused desk that measures at these stations, and its model."""

    def plan(request):
        has_measured = request.step > 1
        return ModelReply(value="Done.") if has_measured else calls(("measure", {"station": stations[0]}))

    model = Script([plan], evaluate=[naming(*stations, state=how.pop("state", None))])
    return a_world(model, measure, desk={"fused": True} | dict(desk), **how), model


def test_a_step_costs_one_model_call():
    """First look and first choice apart, and the answer."""
    world, model = a_desk(1, 2, 3, 4)
    run = world.ask("Measure.")
    assert run.output.value == "Done."
    assert [r.purpose for r in model.requests] == ["interpret", "plan", *["evaluate"] * 4, "plan"]
    assert [a.arguments.value["station"] for a in actions(world, run)] == [1, 2, 3, 4]
    assert "measure" in model.asked("evaluate")[0].part("tools")


def test_an_agent_that_is_not_fused_is_not_asked_for_calls():
    """Its judging knows nothing of them."""
    world, model = a_desk(1, 2, desk={"fused": False})
    world.ask("Measure.")
    evaluated = model.asked("evaluate")[0]
    assert evaluated.part("tools") == ""
    assert "next" not in evaluated.schema["properties"]


@pytest.mark.parametrize(
    ("stations", "state", "purposes"),
    [
        ((13, 2), None, ["interpret", "plan", "evaluate", "plan"]),
        ((1, 2), {"facts": ["y", {"id": "F_099", "text": "x"}]}, ["interpret", "plan", "evaluate", "plan"]),
    ],
)
def test_after_a_failure_the_agent_looks_at_the_state_anew(stations, state, purposes):
    """A failed call, or a change of state that was refused, is something to be told."""
    world, model = a_desk(*stations, state=state)
    world.ask("Measure.")
    assert [r.purpose for r in model.requests] == purposes


def test_the_last_step_is_planned_since_it_has_to_answer():
    """No calls can be named for it."""
    world, model = a_desk(1, 2, 3, 4, 5, desk={"max_steps": 3})
    run = world.ask("Measure.")
    assert (run.stop_reason, run.output.value) == ("budget", "Done.")
    assert [r.purpose for r in model.requests] == ["interpret", "plan", "evaluate", "evaluate", "plan"]


def test_where_little_is_left_the_agent_plans():
    """So that it is told."""
    world, model = a_desk(
        *range(20, 210),
        state={"facts": []},
        desk={"max_steps": 250, "max_output_tokens": 300},
        budget=Budget(tokens=20_000),
    )
    run = world.ask("Measure.")
    assert run.output.value == "Done."
    assert "Little is left of tokens" in model.requests[-1].part("status")


def test_a_crash_at_any_point_leaves_the_same_documents():
    """The named calls are committed with the judging."""

    def run_with(fuse):
        world, _ = a_desk(1, 2)
        process = world.dying(fuse)
        world.start("Measure.")
        world.settle(process)
        world.heal()
        return comparable(world.documents())

    (_, undisturbed), *deaths = each_death(run_with)
    assert len(deaths) > 20
    for where, documents in deaths:
        assert documents == undisturbed, where


def test_light_and_fused_is_an_error():
    """There is no judging to fuse."""
    with pytest.raises(ConfigurationError, match="is light and fused"):
        Network(entry=Agent(name="desk", light=True, fused=True), models=Models(main="a/b"))
