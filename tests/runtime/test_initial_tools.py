"""Tools that run before an agent thinks (core/opening.py)."""

from pydantic import BaseModel

from entracte.agents import ToolError, ToolResult, tool
from tests.runtime.scenes import a_world, the_action, told, value
from tests.runtime.script import Script, judging


@tool(effect="readonly", evaluation="At least one hit.")
def look(at: str) -> ToolResult:
    """Look at it.

    Give the whole name.
    """
    return ToolResult(f"saw {at}", state={"facts": f"looked at {at}"})


@tool(effect="readonly")
def other() -> str:
    """Do something else."""
    return "x"


def facts(world):
    """Texts of the session's facts."""
    return [fact["text"] for fact in world.process.state.get("session", owner="ada").get("facts", [])]


class Place(BaseModel):
    at: str
    why: str = "curious"


def test_an_initial_tool_runs_before_anything_is_interpreted():
    """As step 0, with those of the input's values that it takes; its result is judged into state first."""
    model = Script(["done"], evaluate=[judging({"facts": ["the sea is blue"]})])
    world = a_world(model, other, desk={"initial_tool": look, "input": Place})
    run = world.ask({"at": "sea", "why": "holiday"})
    assert [(r.purpose, r.step) for r in model.requests] == [("evaluate", 0), ("interpret", 1), ("plan", 1)]
    first = the_action(world, run)
    assert (first.id, first.step, value(first.effective)) == (f"{run.id}.0.0", 0, {"at": "sea"})
    assert facts(world) == ["looked at sea", "the sea is blue"]
    assert "the sea is blue" in model.asked("interpret")[0].part("state")
    assert run.output.value == "done"


def test_an_initial_tool_need_not_be_a_tool_of_the_agent():
    """It has run once; the agent is offered its own tools only."""
    model = Script(["done"])
    world = a_world(model, other, desk={"initial_tool": look, "input": Place})
    world.ask({"at": "sea"})
    assert [t.name for t in model.asked("plan")[0].tools] == ["other"]


def test_an_initial_tool_that_fails_is_told_and_the_agent_goes_on():
    """It decides what that means."""

    @tool(effect="readonly")
    def lost(at: str) -> str:
        """Find it."""
        raise ToolError("There is no such place.")

    model = Script(["done"])
    run = a_world(model, desk={"initial_tool": lost, "input": Place}).ask({"at": "sea"})
    assert (run.status, told(model, 1)) == ("succeeded", ["lost failed: There is no such place."])


def test_a_light_agent_may_begin_with_a_tool_too():
    """Its plan takes the result in by itself."""
    model = Script(["done"])
    world = a_world(model, desk={"initial_tool": look, "input": Place, "light": True})
    run = world.ask({"at": "sea"})
    assert [r.purpose for r in model.requests] == ["plan"]
    assert model.requests[0].part("step 1") == 'look({"at":"sea"})\n["saw sea"]'
    assert (run.status, facts(world)) == ("succeeded", ["looked at sea"])
