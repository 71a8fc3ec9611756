"""What a run may use (core/budget.py, core/frames/spending.py, core/frames/proposing.py)."""

from datetime import timedelta

import pytest
from hypothesis import given, settings, strategies as st

from entracte.agents import Agent, Budget, tool
from entracte.core.budget import Share
from entracte.errors import ModelUnavailable
from tests.runtime.scenes import a_world, actions, events, frame, told, value
from tests.runtime.script import USAGE, Script, calls

TOKENS = USAGE.tokens
"""What one request of the script costs."""


@tool(effect="readonly")
def look(at: str) -> str:
    """Look at it."""
    return f"saw {at}"


@tool
def change(what: str) -> str:
    """Change it."""
    return f"changed {what}"


def looks(*at):
    """A reply that looks at these."""
    return calls(*(("look", {"at": a}) for a in at))


def asked(*plans, budget, tools=(look, change), **others):
    """A run of the desk with this budget, its world and its model."""
    model = Script(plans)
    world = a_world(model, *tools, budget=budget, **others)
    return world.ask("Go."), world, model


def ends(world, run):
    """Status and error of each call."""
    return [(action.status, action.error) for action in actions(world, run)]


def test_calls_beyond_the_limit_fail_and_the_agent_is_told():
    """It can still answer with what it has."""
    run, world, model = asked(looks("a", "b", "c"), "done", budget=Budget(actions=2))
    refusal = "The run may make no more calls (limit 2)."
    assert ends(world, run) == [("applied", ""), ("applied", ""), ("failed", refusal)]
    assert told(model, 2) == [f"look failed: {refusal}"]
    assert run.status == "succeeded"


def test_changes_have_a_limit_of_their_own():
    """Reading goes on."""
    wanted = calls(("change", {"what": "a"}), ("change", {"what": "b"}), ("look", {"at": "c"}))
    run, world, _ = asked(wanted, "done", budget=Budget(writes=1))
    assert ends(world, run) == [
        ("applied", ""),
        ("failed", "The run may make no more changes (limit 1)."),
        ("applied", ""),
    ]


def test_calls_are_reserved_when_they_are_planned():
    """A step's calls cannot together take more than is left."""
    run, world, _ = asked(looks("a", "b"), looks("c", "d"), "done", budget=Budget(actions=3, writes=9))
    left = frame(world, run).share
    assert (left.actions, left.writes) == (0, 9)


def test_a_tool_that_runs_first_counts_like_any_other():
    """With its class; where nothing is left it fails like any other, and the agent goes on without it."""
    desk = {"initial_tool": "change", "input": {"what": "x"}}
    model = Script(["done"])
    world = a_world(model, change, desk=desk, budget=Budget(actions=5, writes=5))
    run = world.ask({"what": "x"})
    assert (frame(world, run).share.actions, frame(world, run).share.writes) == (4, 4)
    for budget, words in [(Budget(actions=0), "calls (limit 0)"), (Budget(writes=0), "changes (limit 0)")]:
        world = a_world(Script(["done"]), change, desk=desk, budget=budget)
        run = world.ask({"what": "x"})
        assert ends(world, run) == [("failed", f"The run may make no more {words}.")]
        assert run.status == "succeeded"


def test_the_last_step_has_no_tools_and_gives_the_best_answer_so_far():
    """With the reason that there was no more room."""
    run, _, model = asked(looks("a"), looks("b"), "All I saw.", budget=Budget(), desk={"max_steps": 3})
    assert (run.status, run.stop_reason, run.output.value) == ("succeeded", "budget", "All I saw.")
    plans = model.asked("plan")
    assert [[t.name for t in request.tools] for request in plans] == [["look", "change"], ["look", "change"], []]
    assert "last step" in plans[2].system
    assert "last step" not in plans[1].system


def test_an_agent_of_a_single_step_just_answers():
    """Its only step is no limit that it ran into."""
    run, _, model = asked("Hello.", budget=Budget(), desk={"max_steps": 1})
    assert (run.stop_reason, len(model.asked("plan"))) == ("answered", 1)


def test_time_has_a_limit_from_start_to_end():
    """It is looked at before each request; what was found by then is the answer."""
    world = a_world(Script([looks("a"), "done"]), look, budget=Budget(wall_s=60))
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    world.clock.advance(seconds=61)
    world.settle()
    ended = world.run(run.id)
    assert (ended.status, ended.stop_reason) == ("succeeded", "budget")
    assert 'look gave (not judged): "saw a"' in value(ended.output)
    assert ended.error == "Budget used up: wall_s (limit 60 s)."


def test_calls_at_once_have_a_limit():
    """The rest is left out, and the agent told."""
    run, world, model = asked(looks("a", "b", "c"), "done", budget=Budget(parallel_calls=2))
    assert len(actions(world, run)) == 2
    assert told(model, 2) == ["1 calls too many were left out."]
    assert [request.max_calls for request in model.asked("plan")] == [2, 2]


def a_chain(depth, budget):
    """An agent that calls itself as deep as it may."""

    def deeper(request):
        return calls(("desk", {"message": "deeper"}))

    model = Script([deeper, "done"])
    return a_world(model, desk={"agents": ["desk"]}, budget=budget), model


def test_agents_call_each_other_only_so_deep():
    """The call that would be deeper fails, and its agent answers without it."""
    world, _ = a_chain(9, Budget(depth=3))
    run = world.ask("Go.")
    assert run.status == "succeeded"
    assert [f.depth for f in world.process.runs.frames(run)] == [1, 2, 3]
    assert ends(world, run)[-1] == ("failed", "Agents may call each other 3 deep; this would be deeper.")


def test_a_callers_limits_only_ever_lower_the_networks():
    """Per run, and only those that were sent."""
    from entracte.core.runs.starting import RunRequest

    world = a_world(Script(["done"]), budget=Budget(actions=10, tokens=5000))
    request = RunRequest(input={"message": "x"}, limits={"actions": 99, "tokens": 7})
    run = world.process.runs.start(request, owner="ada")
    assert run.limits == Budget(actions=10, tokens=7).limits()
    assert frame(world, run).share == Share(actions=10, writes=50, tokens=7, cost_micro_usd=5_000_000)


def spenders(count):
    """As many sub-agents, each of which would look for ever."""

    def another(request):
        return looks(f"{request.frame} {request.step}")

    agents = [Agent(name=f"a{n}", prompt="You look.", tools=[look], max_steps=99) for n in range(count)]
    wanted = calls(*((agent.name, {"message": "x"}) for agent in agents))
    return agents, {"desk": [wanted, "done"]} | {agent.name: [another] for agent in agents}


@given(st.integers(1, 3), st.integers(0, 60), st.integers(1, 40), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_parallel_sub_agents_never_spend_more_than_the_whole(count, limit_of_calls, limit_of_requests, random):
    """Whatever order they work in. Calls are exact; of tokens, only requests in flight can exceed the limit."""
    agents, plans = spenders(count)
    budget = Budget(actions=limit_of_calls, tokens=limit_of_requests * TOKENS)
    world = a_world(Script(plans), agents=agents, budget=budget)
    run = world.start("Go.")
    while world.bus.waiting:
        world.deliver(world.bus.waiting.pop(random.randrange(len(world.bus.waiting))))
    made = [action for action in actions(world, run) if action.attempt or action.status == "applied"]
    assert len(made) <= limit_of_calls
    assert world.run(run.id).usage.tokens <= (limit_of_requests + count + 1) * TOKENS
    assert world.run(run.id).closed


def test_what_a_sub_agent_does_not_spend_goes_back():
    """To the share of the frame that asked it, once its answer has been taken."""
    clerk = Agent(name="clerk", prompt="You look.", tools=[look])
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": [looks("a"), "seen"]})
    world = a_world(model, agents=[clerk], budget=Budget(actions=10, tokens=100_000))
    run = world.ask("Go.")
    whole = Share.whole(Budget(actions=10, tokens=100_000).limits())
    spent = Share(actions=2, writes=0, tokens=run.usage.tokens)
    assert frame(world, run).share == whole.minus(spent)
    assert run.usage.tokens == len(model.requests) * TOKENS


def test_a_sub_agent_gets_an_equal_part_and_its_caller_keeps_one():
    """So that the caller can still make something of the answers."""
    agents, plans = spenders(2)
    world = a_world(Script(plans), agents=agents, budget=Budget(actions=30, writes=9, tokens=30_220))
    run = world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    parts = [action.share for action in actions(world, run)]
    part = Share(actions=9, writes=3, tokens=10_000, cost_micro_usd=5_000_000 // 3)
    assert parts == [part, part]
    left = frame(world, run).share
    assert (left.actions, left.writes, left.tokens) == (28 - 18, 9 - 6, 30_000 - 20_000)


def test_the_usage_of_sub_agents_is_counted_even_when_nobody_can_judge_them():
    """A service that refuses the judge does not make what was used before free."""
    from entracte.errors import ModelRefused

    clerk = Agent(name="clerk", prompt="You look.", light=True)
    model = Script({"desk": [calls(("clerk", {"message": "x"}))], "clerk": ["seen"]}, evaluate=[ModelRefused("No.")])
    run = a_world(model, agents=[clerk]).ask("Go.")
    assert (run.status, run.usage.model_calls) == ("failed", 3)


@pytest.mark.parametrize("purpose", ["interpret", "plan", "evaluate"])
def test_an_hour_in_which_the_model_is_overloaded_fails_no_run(purpose):
    """Every message comes back, and the time is not the run's own: it has as much left as before."""
    until = []

    class Overloaded(Script):
        def generate(self, request, **how):
            if request.purpose == purpose and not until:
                until.append(world.clock.now() + timedelta(hours=1))
            if until and world.clock.now() < until[0]:
                raise ModelUnavailable("429: overloaded.")
            return super().generate(request, **how)

    world = a_world(Overloaded([looks("a"), "done"]), look, budget=Budget(wall_s=60))
    run = world.ask("Go.")
    assert (run.status, run.output.value, run.parked) == ("succeeded", "done", None)
    assert run.parked_ms >= 3_600_000
    assert [e.data["message"] for e in events(world, run, "error")] == ["Tried again later: 429: overloaded."]
