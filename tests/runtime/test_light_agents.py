"""Light agents: no state of their own, no judge (phases/taking_in.py)."""

from entracte.agents import Hook, ToolContext, ToolResult, tool
from entracte.core.frames.light_step import KEPT_EXCHANGES
from tests.runtime.scenes import a_world, actions, events, frame, told
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


def test_what_a_light_agent_is_told_at_first_stays_the_same():
    """Services reuse what they have read before, and a small model on a laptop reads slowly."""
    world, model = a_light_world([LOOK, LOOK, "done"], look, other)
    world.ask("Go.")
    first, *later = [(r.system, r.tools) for r in model.requests]
    assert later == [first, first]


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


def test_a_light_agent_that_goes_round_in_circles_is_stopped_too():
    """By its plan, since nobody judges it."""
    world, _ = a_light_world([LOOK], look, max_steps=99)
    run = world.ask("Go.")
    assert (run.stop_reason, len(actions(world, run))) == ("loop", 5)
