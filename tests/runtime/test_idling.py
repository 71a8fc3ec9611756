"""Steps that lead nowhere, and what is nearly used up (frames/idling.py, absorbing.py, spending.py)."""

from entracte.agents import Budget, ToolError, tool
from entracte.core.frames.idling import ENDED_AFTER, TOLD_AFTER
from entracte.core.modelling import ModelReply
from tests.runtime.scenes import a_world, frame, told
from tests.runtime.script import Script, calls, judging


@tool(effect="readonly")
def here() -> str:
    """Look here."""
    return "nothing"


@tool(effect="readonly")
def there() -> str:
    """Look there."""
    return "nothing either"


@tool(effect="readonly")
def fail(n: int) -> str:
    """Fail in a new way."""
    raise ToolError(f"No {n}.")


@tool(effect="readonly")
def count(n: int) -> str:
    """Count."""
    return "counted"


TO_AND_FRO = [calls((name, {})) for _ in range(20) for name in ("here", "there")]


def test_going_to_and_fro_is_told_and_then_ended():
    """Equal calls are two of four; counting them alone would notice late."""
    model = Script(TO_AND_FRO)
    world = a_world(model, here, there, desk={"max_steps": 30})
    run = world.ask("Look.")
    assert (run.status, run.stop_reason) == ("failed", "loop")
    assert run.error == f"{ENDED_AFTER} steps in a row brought nothing new."
    assert frame(world, run).cursor.step == 2 + ENDED_AFTER  # the first two brought something
    assert not any("brought nothing new" in line for line in told(model, 2 + TOLD_AFTER))
    assert any("The last 3 steps brought nothing new" in line for line in told(model, 3 + TOLD_AFTER))


def test_failing_in_ever_new_ways_is_no_progress():
    """A failure is no result."""
    model = Script([calls(("fail", {"n": n})) for n in range(20)])
    run = a_world(model, fail, desk={"max_steps": 30}).ask("Try.")
    assert (run.stop_reason, len(model.asked("plan"))) == ("loop", ENDED_AFTER)


def test_what_changes_state_or_brings_something_is_progress():
    """A new call that gives the same is one, and so is a word in state."""
    model = Script([*(calls(("count", {"n": n})) for n in range(12)), "Done."])
    assert a_world(model, count, desk={"max_steps": 30}).ask("Count.").output.value == "Done."
    model = Script([*TO_AND_FRO[:8], "Done."], evaluate=[judging({"facts": ["seen"]})])
    assert a_world(model, here, there, desk={"max_steps": 30}).ask("Look.").output.value == "Done."


def test_a_light_agent_that_gets_nowhere_ends_too():
    """Its plan takes the step in."""
    model = Script(TO_AND_FRO)
    run = a_world(model, here, there, desk={"max_steps": 30, "light": True}).ask("Look.")
    assert run.stop_reason == "loop"
    assert len(model.asked("plan")) == 2 + ENDED_AFTER
    assert run.output.value.startswith("This went round in circles and was not finished. What is known so far:\n")


def test_a_frame_that_goes_round_in_circles_ends_with_what_it_knows():
    """Told first, ended then, and nothing that was found is lost."""
    first = iter([{"facts": ["Ada is on Pro."]}])
    model = Script(TO_AND_FRO, evaluate=[lambda r: judging(next(first, {}))(r)])
    run = a_world(model, here, there, desk={"max_steps": 30}).ask("Look.")
    assert (run.status, run.stop_reason) == ("succeeded", "loop")
    assert run.output.value.endswith("What is known so far:\n- Ada is on Pro.")


def test_equal_calls_end_with_what_is_known_as_well():
    """Five times the same."""
    first = iter([{"facts": ["Ada is on Pro."]}])
    model = Script([calls(("here", {}))], evaluate=[lambda r: judging(next(first, {}))(r)])
    run = a_world(model, here, desk={"max_steps": 30}).ask("Look.")
    assert (run.stop_reason, len(model.asked("plan"))) == ("loop", 5)
    assert run.output.value.endswith("- Ada is on Pro.")


def test_the_model_is_told_when_little_of_the_budget_is_left():
    """Before it is asked for the last answer, so that it may choose what matters most."""
    model = Script([lambda r: calls(("count", {"n": r.step})) if r.tools else ModelReply(value="That is all.")])
    world = a_world(model, count, desk={"max_steps": 200, "max_output_tokens": 300}, budget=Budget(tokens=20_000))
    run = world.ask("Count.")
    said = [("Little is left of tokens" in r.part("status"), r) for r in model.asked("plan")]
    warned = [request for is_told, request in said if is_told]
    assert run.stop_reason == "budget"
    assert 0 < len(warned) < len(said)
    assert warned[0].tools and warned == [request for _, request in said[-len(warned) :]]


def test_the_model_is_told_when_little_time_is_left():
    """Time that a person takes does not count."""

    def slow(request):
        world.clock.advance(seconds=100)
        return ModelReply(calls=calls(("count", {"n": request.step})).calls)

    model = Script([slow])
    world = a_world(model, count, desk={"max_steps": 99}, budget=Budget(wall_s=1000))
    run = world.ask("Count.")
    warned = [r.step for r in model.asked("plan") if "Little is left of wall_s" in r.part("status")]
    assert (run.stop_reason, warned) == ("budget", [9, 10, 11])
