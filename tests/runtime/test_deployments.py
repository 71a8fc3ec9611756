"""A deployment changes the network under its runs: state is data, and nothing is replayed."""

from entracte.agents import Agent, ToolResult, tool
from tests.runtime.scenes import a_world, the_action, told
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


CLERK = Agent(name="clerk", prompt="You note things.", summary="Notes things.", instruction="Say what.", tools=[other])


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
