"""A failed run is retried from its last good commit (retrying.py)."""

import pytest

from entracte.agents import Agent, Budget, ToolContext, tool
from entracte.errors import Conflict, ModelRefused
from entracte.runtime.services.going_on import retry
from tests.runtime.scenes import a_world, actions, events, frame
from tests.runtime.script import Script, calls, fault, judging

LOOK = calls(("look_up", {}))
REFUSED = ModelRefused("The key is wrong.")
MADE = []


@tool(effect="readonly")
def look_up() -> str:
    """Look something up."""
    return "found"


@tool
def change() -> str:
    """Change something."""
    MADE.append(1)
    return "changed"


def retried(world, run):
    """The run, once it was retried and has settled."""
    retry(world.process.engine, run, by="ada")
    world.settle()
    return world.run(run.id)


@pytest.mark.parametrize(
    ("failing", "light"),
    [
        ("interpret", False),
        ("first plan", False),
        ("evaluate", False),
        ("second plan", False),
        ("first plan", True),
        ("second plan", True),
    ],
)
def test_a_failed_run_goes_on_from_its_last_good_commit(failing, light):
    """Calls that were made are not made again, wherever the model refused."""
    MADE.clear()
    call = calls(("change", {}))
    script = Script(
        {"first plan": [REFUSED, call, "done"], "second plan": [call, REFUSED, "done"]}.get(failing, [call, "done"]),
        interpret=[REFUSED, {"goals": [], "tasks": []}] if failing == "interpret" else ({"goals": [], "tasks": []},),
        evaluate=[REFUSED, judging()] if failing == "evaluate" else [judging()],
    )
    world = a_world(script, change, desk={"light": light})
    run = world.ask("Go.")
    assert (run.status, run.stop_reason, run.error) == ("failed", "error", "The key is wrong.")
    ended = retried(world, run)
    assert (ended.status, ended.stop_reason, ended.error, ended.output.value) == ("succeeded", "answered", "", "done")
    assert (len(MADE), [action.attempt for action in actions(world, run)]) == (1, [1])
    assert ended.expires is not None


def test_sub_agents_that_have_ended_are_not_asked_again():
    """Their frames stay as they are."""
    clerk = Agent(name="clerk", prompt="You note.", light=True)
    script = Script({"desk": [calls(("clerk", {"message": "x"})), REFUSED, "done"], "clerk": ["noted"]})
    world = a_world(script, agents=[clerk])
    run = world.ask("Go.")
    child = frame(world, run, f"{run.id}.1.0")
    assert retried(world, run).status == "succeeded"
    assert frame(world, run, child.id) == child
    assert len(script.asked("plan", "clerk")) == 1


def test_results_that_nobody_could_judge_are_told_as_they_are():
    """The step is not evaluated a second time: its calls have been taken in."""
    script = Script([LOOK, "done"], evaluate=[REFUSED])
    world = a_world(script, look_up)
    run = world.ask("Go.")
    retried(world, run)
    assert 'look_up gave (not judged): "found"' in script.asked("plan")[-1].part("feedback")


def test_results_are_told_though_a_reply_was_unusable_before_the_refusal():
    """What the model was told of its reply is over; the step's last result is not cut off in its place."""
    script = Script([LOOK, "done"], evaluate=[fault(), REFUSED])
    world = a_world(script, look_up)
    run = world.ask("Go.")
    retried(world, run)
    assert script.asked("plan")[-1].part("feedback") == '- look_up gave (not judged): "found"'


def test_what_a_tool_has_put_into_state_outlives_an_evaluation_that_failed():
    """It was done with the call; nobody had to judge it first."""

    @tool(effect="readonly")
    def note(ctx: ToolContext[None]) -> str:
        """Note."""
        ctx.update_state({"vars": "case = 7", "goals": "Close it."})
        return "noted"

    script = Script([calls(("note", {})), "done"], evaluate=[REFUSED])
    world = a_world(script, note)
    run = world.ask("Go.")
    assert world.process.state.get(run.session, owner="ada")["vars"] == [{"id": "V_001", "text": "case = 7"}]
    assert [change["key"] for change in events(world, run, "state.updated")[-1].data["applied"]] == ["goals", "vars"]
    retried(world, run)
    assert "Close it." in script.asked("plan")[-1].part("state")


def test_replies_that_are_cut_off_at_every_try_leave_the_run_readable():
    """The limit is doubled so and so often, and then stays."""
    script = Script([fault("cut_off")])
    world = a_world(script, budget=Budget(tokens=10**9))
    run = world.ask("Go.")
    for _ in range(7):
        run = retried(world, run)
    limits = [request.max_output_tokens // 8192 for request in script.asked("plan")]
    assert (run.status, limits[:4], limits[-1]) == ("failed", [1, 2, 4, 4], 1024)


def test_a_run_may_fail_and_be_retried_several_times():
    """Each try has moves of its own in the journal, and each failure is there to be read."""
    world = a_world(Script([REFUSED, REFUSED, "done"]))
    run = world.ask("Go.")
    for status in ("failed", "succeeded"):
        run = retried(world, run)
        assert run.status == status
    ended = [entry.id for entry in world.process.runs.journal(run).items if entry.phase == "plan"]
    assert [id.removeprefix(f"{run.id}.") for id in ended] == [
        "1.interpret",
        "1.error",
        "1.error.retry1",
        "1.plan.retry2",
    ]
    assert frame(world, run).retries == 2
    assert [event.data["how"] for event in events(world, run, "run.resumed")] == ["retry", "retry"]


def test_a_loop_is_forgiven():
    """The person who retries has seen it; the same calls may be made again before it counts as one."""
    script = Script([LOOK] * 6 + ["done"])
    world = a_world(script, look_up)
    run = world.ask("Go.")
    assert (run.status, run.stop_reason) == ("failed", "loop")
    ended = retried(world, run)
    assert (ended.status, frame(world, run).cursor.step) == ("succeeded", 7)


def test_unusable_replies_are_not_told_again():
    """The repairs of the try before are over."""
    script = Script([fault(), fault(), fault(), "done"])
    world = a_world(script)
    run = world.ask("Go.")
    assert (run.status, run.stop_reason) == ("failed", "error")
    assert retried(world, run).status == "succeeded"
    assert script.requests[-1].part("feedback") == ""


def test_the_conversation_does_not_keep_the_failure():
    """What was said is the question and the answer; the turn itself stays readable."""
    world = a_world(Script([REFUSED, "done"]))
    run = world.ask("Go.")
    retried(world, run)
    session = world.process.runs.session(run.session, owner="ada")
    assert [(line.role, line.text) for line in session.window] == [("user", "Go."), ("assistant", "done")]
    assert [turn.number for turn in world.process.runs.turns(session).items] == [1, 2, 3]


def test_time_that_it_was_closed_is_not_its_own():
    """A run that failed on Friday goes on on Monday."""
    world = a_world(Script([REFUSED, "done"]), budget=Budget(wall_s=60))
    run = world.ask("Go.")
    world.clock.advance(days=3)
    assert retried(world, run).status == "succeeded"


def test_a_run_whose_budget_is_used_up_is_not_retried():
    """It would end at once; a fork has a budget of its own."""

    def slow(request):
        world.clock.advance(minutes=2)
        return judging()(request)

    world = a_world(Script([LOOK, "done"], evaluate=[slow]), look_up, budget=Budget(wall_s=60))
    run = world.ask("Go.")
    assert (run.status, run.stop_reason) == ("failed", "budget")
    with pytest.raises(Conflict, match=r"budget of run .* is used up: wall_s") as caught:
        retry(world.process.engine, run, by="ada")
    assert (caught.value.code, world.run(run.id)) == ("budget_used_up", run)


@pytest.mark.parametrize("status", ["queued", "succeeded", "cancelled", "undone"])
def test_only_a_failed_run_is_retried(status):
    """A closed run opens by nothing else but retry and undo."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    if status == "cancelled":
        world.process.runs.cancel(run.id, owner="ada")
    elif status != "queued":
        world.settle()
    if status == "undone":
        world.process.runs.undo(run.id, owner="ada")
        world.settle()
    run = world.run(run.id)
    assert run.status == status
    with pytest.raises(Conflict, match="not failed"):
        retry(world.process.engine, run, by="ada")
    assert world.run(run.id) == run


def test_a_run_whose_time_is_over_is_not_opened_again():
    """Retention may be deleting its documents."""
    world = a_world(Script([REFUSED]))
    run = world.ask("Go.")
    world.clock.advance(days=31)
    with pytest.raises(Conflict, match="is being deleted"):
        retry(world.process.engine, run, by="ada")


def test_two_who_retry_at_once_retry_it_once():
    """The second is told that it has not failed."""
    world = a_world(Script([REFUSED, "done"]))
    run = world.ask("Go.")
    retry(world.process.engine, run, by="ada")
    with pytest.raises(Conflict):
        retry(world.process.engine, run, by="bob")
    world.settle()
    assert (world.run(run.id).status, frame(world, run).retries) == ("succeeded", 1)
