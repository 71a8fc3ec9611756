"""How an agent is asked, what leaves its context, and when it goes round in circles."""

import pytest
from pydantic import BaseModel

from entracte.agents import Agent, ToolResult, tool
from entracte.errors import InvalidInput
from tests.runtime.scenes import a_world, actions, frame, the_action, told
from tests.runtime.script import Script, calls


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


LOOK = calls(("look", {"at": "sea"}))


class Place(BaseModel):
    at: str
    why: str = "curious"


def test_what_is_not_needed_leaves_the_context():
    """Named by the interpretation, for the whole frame."""
    clerk, scout = (Agent(name=name, prompt=f"You are the {name}.", light=True) for name in ("clerk", "scout"))
    interpreted = {"goals": ["g"], "tasks": ["to do"], "unused_tools": ["other"], "unused_agents": ["scout"]}
    model = Script([LOOK, "done"], interpret=[interpreted])
    world = a_world(model, look, other, agents=[clerk, scout])
    run = world.ask("Go.")
    assert [[t.name for t in r.tools] for r in model.asked("plan")] == [["look", "clerk"], ["look", "clerk"]]
    assert [item.text for item in frame(world, run).local["goals"].items] == ["g"]


def test_never_does_everything_leave_the_context():
    """An interpretation that needs nothing is a slip, not a wish."""
    model = Script(["done"], interpret=[{"goals": [], "tasks": [], "unused_tools": ["look", "other"]}])
    a_world(model, look, other).ask("Go.")
    assert [t.name for t in model.asked("plan")[0].tools] == ["look", "other"]


def test_a_tool_that_left_the_context_cannot_be_called():
    """It is as if it were not there."""
    model = Script([calls(("other", {})), "done"], interpret=[{"goals": [], "tasks": [], "unused_tools": ["other"]}])
    world = a_world(model, look, other)
    run = world.ask("Go.")
    assert the_action(world, run).error == "There is no tool 'other'. You can call: look."


def test_an_agent_is_asked_with_what_its_input_says():
    """A caller's slip is refused before a run begins, with the place."""
    world = a_world(Script(["done"]), desk={"input": Place})
    for bad, pointer, words in [
        ({"at": 7}, "/input/at", '7 is not of type "string"'),
        ({}, "/input", '"at" is a required property'),
        ("sea", "/input", '"at" is a required property'),
        ({"message": "sea"}, "/input", '"at" is a required property'),
    ]:
        with pytest.raises(InvalidInput) as caught:
            world.ask(bad)
        assert (caught.value.pointer, words in caught.value.message) == (pointer, True)
    assert world.documents() == {}


def test_an_agent_is_shown_its_input():
    """A bare message as it is, anything else as JSON."""
    model = Script(["done"])
    a_world(model).ask("Which plan is Ada on?")
    assert {request.part("input") for request in model.requests} == {"Which plan is Ada on?"}
    model = Script(["done"])
    a_world(model, desk={"input": Place}).ask({"at": "sea"})
    assert {request.part("input") for request in model.requests} == {'{"at": "sea"}'}


def test_an_answer_by_example_has_the_shape_of_the_example():
    """The model is told the schema, and its answer checked against it."""
    output = {"status": "COMPLETE | PARTIAL", "rows": [{"name": "", "tier": 1}], "share": 0.5, "sure": True}
    good = {"status": "PARTIAL", "rows": [{"name": "Ada", "tier": 2}], "share": 1, "sure": False}
    model = Script([good | {"status": "DONE"}, good])
    run = a_world(model, desk={"output": output}).ask("Go.")
    assert run.output.value == good
    schema = model.asked("plan")[0].schema
    assert schema["properties"]["status"] == {"type": "string", "enum": ["COMPLETE", "PARTIAL"]}
    assert '"DONE" is not one of "COMPLETE" or "PARTIAL"' in told(model, 1)[0]


CLERK = Agent(name="clerk", prompt="You note things.", summary="Notes things.", instruction="Say what.", tools=[other])


def test_a_run_may_start_at_any_agent():
    """By name; an unknown one is refused with those that there are."""
    model = Script({"desk": ["never"], "clerk": ["noted"]})
    world = a_world(model, agents=[CLERK])
    run = world.ask("Go.", agent="clerk")
    assert (run.agent, run.output.value) == ("clerk", "noted")
    with pytest.raises(InvalidInput, match=r"There is no agent 'clark'\. Agents: desk, clerk\.") as caught:
        world.ask("Go.", agent="clark", key="2")
    assert caught.value.pointer == "/agent"


def test_the_same_call_with_the_same_end_again_and_again_ends_the_frame():
    """After three the agent is told, after five it is over."""
    model = Script([LOOK])
    world = a_world(model, look, desk={"max_steps": 99})
    run = world.ask("Go.")
    assert (run.status, run.stop_reason) == ("succeeded", "loop")
    assert run.output.value.endswith("was not finished. What is known so far:\n- looked at sea")
    assert run.error == "look was called again and again with the same arguments and the same end."
    assert len(actions(world, run)) == 5
    again = (
        "look was called {} times the same way and ended the same way. "
        "Do not call it so again: answer with what is known, or do something else."
    )
    assert [told(model, step)[:1] for step in (2, 3, 4, 5)] == [[], [], [again.format(3)], [again.format(4)]]


def test_the_same_call_with_different_ends_is_no_loop():
    """Waiting for something to change is work."""
    count = iter(range(99))

    @tool(effect="readonly")
    def poll() -> int:
        """Ask whether it is there."""
        return next(count)

    world = a_world(Script([calls(("poll", {}))] * 7 + ["there"]), poll, desk={"max_steps": 99})
    assert world.ask("Go.").output.value == "there"
