"""Agents that agents call (phases/delegating.py)."""

from pydantic import BaseModel

from entracte.agents import Agent, ToolResult, tool
from entracte.core.modelling import ModelReply
from tests.runtime.scenes import a_world, actions, frame, told, value
from tests.runtime.script import Script, calls, judging, results


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


class Place(BaseModel):
    at: str
    why: str = "curious"


CLERK = Agent(name="clerk", prompt="You note things.", summary="Notes things.", instruction="Say what.", tools=[other])


def with_clerk(*lines, clerk=CLERK, **network):
    """A desk that asks its clerk once, with these lines for the clerk."""
    model = Script({"desk": [calls(("clerk", {"message": "note it"})), "done"], "clerk": list(lines)})
    world = a_world(model, agents=[clerk], **network)
    return world.ask("Go."), world, model


def test_a_sub_agent_works_in_a_frame_of_its_own_and_its_answer_is_the_result():
    """The frame has the action's id; the judge sees the answer beside the call."""
    run, world, model = with_clerk(calls(("other", {})), "noted")
    call = actions(world, run)[0]
    child = frame(world, run, call.id)
    assert (call.status, value(call.result), call.kind) == ("applied", "noted", "agent")
    assert (child.parent, child.agent, child.depth, child.input.value) == (call.id, "clerk", 2, {"message": "note it"})
    assert child.due is None  # its end has been taken: nobody need look at it again
    shown = results(model.asked("evaluate")[0])[0]
    assert {"tool": "clerk", "status": "ok", "result": "noted"}.items() <= shown.items()


def test_the_caller_sees_a_sub_agent_as_it_sees_a_tool():
    """Summary and instruction describe it, its input is its schema."""
    _, _, model = with_clerk("noted")
    (schema,) = model.asked("plan")[0].tools
    assert (schema.name, schema.description) == ("clerk", "Notes things.\nSay what.")
    assert schema.parameters["required"] == ["message"]


def test_a_sub_agent_shares_global_state_but_neither_goals_nor_conversation():
    """It has its own locals, and is asked in so many words."""
    clerk = Agent(name="clerk", prompt="You note things down.", tools=[other])
    lines = {"desk": [calls(("clerk", {"message": "note it"})), "done"], "clerk": ["noted"]}
    interpret = [lambda request: ModelReply(value={"goals": [f"goal of {request.agent}"], "tasks": []})]
    model = Script(lines, interpret=interpret, evaluate=[judging({"facts": ["known to all"]})])
    world = a_world(model, agents=[clerk])
    world.ask("Hello.", key="1")
    world.ask("Again.", key="2")
    asked = model.asked("plan", "clerk")[-1]
    assert (asked.part("conversation"), asked.part("input")) == ("", "note it")
    assert "known to all" in asked.part("state")
    assert ("goal of clerk" in asked.part("state"), "goal of desk" in asked.part("state")) == (True, False)


def test_a_sub_agent_that_fails_is_told_to_its_caller():
    """With how and why; the caller can still answer."""
    from tests.runtime.script import fault

    run, world, model = with_clerk(fault("blocked", "Withheld."))
    words = (
        "clerk ended without an answer (error). "
        "The model gave 2 replies in a row that could not be used; the last: Withheld."
    )
    assert [(a.status, a.error) for a in actions(world, run)] == [("failed", words)]
    assert (told(model, 2), run.status) == ([f"clerk failed: {words}"], "succeeded")


def test_a_sub_agent_is_not_opened_with_an_input_that_does_not_fit():
    """The call fails and the caller is told; no frame, no share spent."""
    clerk = Agent(name="clerk", prompt="x", input=Place, light=True)
    run, world, model = with_clerk("noted", clerk=clerk)
    (call,) = actions(world, run)
    assert (call.status, call.attempt) == ("failed", 0)
    assert "Agent 'clerk' cannot be asked with this input" in told(model, 2)[0]
    assert len(world.process.runs.frames(run)) == 1
    assert frame(world, run).share.tokens == run.limits.tokens - run.usage.tokens
