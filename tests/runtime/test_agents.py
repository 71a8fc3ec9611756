"""How agents work: initial tools, light agents, sub-agents, and what leaves their context."""

import pytest
from pydantic import BaseModel

from entracte.agents import Agent, Hook, ToolContext, ToolError, ToolResult, tool
from entracte.core.modelling import ModelReply
from entracte.core.phases.taking_in import KEPT_EXCHANGES
from entracte.errors import InvalidInput
from tests.runtime.scenes import a_world, actions, events, frame, the_action, told, value
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


LOOK = calls(("look", {"at": "sea"}))


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


def a_light_world(plans, *tools, **desk):
    """A world whose desk is light, and its model."""
    model = Script(plans)
    harness = desk.pop("harness", ())
    return a_world(model, *tools, desk={"light": True} | desk, harness=harness), model


def test_a_light_agent_has_no_state_and_is_never_judged():
    """Its steps so far are its context."""
    world, model = a_light_world([LOOK, calls(("other", {}), ("look", {"at": "sky"})), "done"], look, other)
    run = world.ask("Go.")
    assert run.output.value == "done"
    assert [r.purpose for r in model.requests] == ["plan"] * 3
    last = model.requests[-1]
    assert last.part("step 1") == 'look({"at":"sea"})\n["saw sea"]'
    assert last.part("step 2") == 'other({}); look({"at":"sky"})\n["x", "saw sky"]'
    assert {part.title for part in last.parts} == {"status", "step 1", "step 2", "input"}


def test_the_steps_that_a_light_agent_remembers_are_bounded():
    """In number and in length."""

    @tool(effect="readonly")
    def dump(n: int) -> str:
        """Give much."""
        return f"{n} " + "漢" * 100_000

    steps = [calls(("dump", {"n": n})) for n in range(KEPT_EXCHANGES + 3)]
    world, _ = a_light_world([*steps, "done"], dump, max_steps=99)
    run = world.ask("Go.")
    kept = frame(world, run).exchanges
    assert [exchange.results[2:4].strip() for exchange in kept] == [str(n) for n in range(3, KEPT_EXCHANGES + 3)]
    assert max(len(exchange.results) for exchange in kept) == 20_000
    assert run.status == "succeeded"


class Tagging(Hook):
    def before_tool(self, call, ctx):
        ctx.update_state({"vars": "tag = 1"})
        return call


def test_what_tools_and_hooks_ask_for_counts_for_a_light_agent_too():
    """State changes, tools taken away, an answer given."""

    @tool(effect="readonly")
    def stop(ctx: ToolContext[None]) -> ToolResult:
        """Stop."""
        ctx.terminate("That is all.")
        return ToolResult(None, state={"facts": "stopped"})

    @tool(effect="readonly")
    def close(ctx: ToolContext[None]) -> ToolResult:
        """Close the other."""
        ctx.disable_tool("other")
        return ToolResult("closed", state={"facts": ["closed", 7]})

    plans = [calls(("close", {})), calls(("stop", {})), "never"]
    world, model = a_light_world(plans, close, stop, other, harness=[Tagging()])
    run = world.ask("Go.")
    assert (run.stop_reason, run.output.value) == ("terminated", "That is all.")
    assert [t.name for t in model.requests[1].tools] == ["close", "stop"]
    state = world.process.state.get("session", owner="ada")
    assert {key: [item["text"] for item in items] for key, items in state.items()} == {
        "facts": ["closed", "stopped"],
        "vars": ["tag = 1", "tag = 1"],
    }


def test_a_diff_refused_in_a_light_agent_is_told_and_journaled():
    """As anywhere else."""

    @tool(effect="readonly")
    def learn() -> ToolResult:
        """Learn."""
        return ToolResult("x", state={"facts": ["good", 7]})

    world, model = a_light_world([calls(("learn", {})), "done"], learn)
    run = world.ask("Go.")
    assert told(model, 2) == ["State not changed: expected a text, or an object with id and text"]
    (changed,) = events(world, run, "state.updated")
    assert ([a["text"] for a in changed.data["applied"]], len(changed.data["refused"])) == (["good"], 1)


def test_a_light_agent_is_told_of_failures_and_of_calls_left_out():
    """And asked again after an unusable reply, without forgetting them."""
    from tests.runtime.script import fault

    wanted = calls(("nothing", {}), *(("look", {"at": str(n)}) for n in range(9)))
    world, model = a_light_world([wanted, fault(), "done"], look)
    run = world.ask("Go.")
    assert run.status == "succeeded"
    lines = told(model, 2)
    assert lines[0] == "2 calls too many were left out."
    assert lines[1] == "nothing failed: There is no tool 'nothing'. You can call: look."
    assert lines[-1] == "Your last reply could not be used: The reply was empty."


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
        ({"at": 7}, "/input/at", "7 is not of type 'string'"),
        ({}, "/input", "'at' is a required property"),
        ("sea", "/input", "'at' is a required property"),
        ({"message": "sea"}, "/input", "'at' is a required property"),
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
    assert "'DONE' is not one of ['COMPLETE', 'PARTIAL']" in told(model, 1)[0]


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
        "The model gave 3 replies in a row that could not be used; the last: Withheld."
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


def test_an_agent_that_a_deployment_has_removed_is_a_failed_call():
    """State is data: a parked run survives a change of its network."""
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["noted"]})
    world = a_world(model, agents=[CLERK])
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    world.network = a_world(model, other).network
    world.process = world.new_process()
    world.settle()
    assert the_action(world, run).error == "There is no agent 'clerk' any more."
    assert world.run(run.id).status == "succeeded"


def test_a_tool_that_a_deployment_has_removed_is_a_failed_call():
    """That the agent is told about, not a broken run."""
    model = Script([calls(("other", {}), ("look", {"at": "sea"})), "done"])
    world = a_world(model, look, other)
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    world.network = a_world(model, look).network
    world.process = world.new_process()
    world.settle()
    assert told(model, 2) == ["other failed: There is no tool 'other' any more."]
    assert world.run(run.id).status == "succeeded"


def test_a_run_of_an_agent_that_a_deployment_has_removed_fails_and_says_so():
    """Rather than hang."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    model = Script({"clerk": ["done"]})
    world.network = a_world(model, desk={"name": "clerk"}).network
    world.process = world.new_process()
    world.settle()
    ended = world.run(run.id)
    assert (ended.status, ended.error) == ("failed", "Agent 'desk' is no longer part of the network.")


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
    assert (run.status, run.stop_reason) == ("failed", "loop")
    assert run.error == "look was called again and again with the same arguments and the same end."
    assert len(actions(world, run)) == 5
    again = "look was called {} times the same way and ended the same way. Do something else."
    assert [told(model, step) for step in (2, 3, 4, 5)] == [[], [], [again.format(3)], [again.format(4)]]


def test_a_light_agent_that_goes_round_in_circles_is_stopped_too():
    """By its plan, since nobody judges it."""
    world, _ = a_light_world([LOOK], look, max_steps=99)
    run = world.ask("Go.")
    assert (run.stop_reason, len(actions(world, run))) == ("loop", 5)


def test_the_same_call_with_different_ends_is_no_loop():
    """Waiting for something to change is work."""
    count = iter(range(99))

    @tool(effect="readonly")
    def poll() -> int:
        """Ask whether it is there."""
        return next(count)

    world = a_world(Script([calls(("poll", {}))] * 7 + ["there"]), poll, desk={"max_steps": 99})
    assert world.ask("Go.").output.value == "there"
