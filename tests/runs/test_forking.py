"""A fork begins at a step of another run (forking.py, boundary.py)."""

from collections import Counter

import pytest

from entracte.agents import Agent, Budget, tool
from entracte.agents.policy import read_policy
from entracte.core.pricing import Prices
from entracte.core.runs.boundary import boundary_of
from entracte.core.runs.forking import TAKEN_BACK, ForkRequest
from entracte.errors import InvalidInput, NotFound
from entracte.runtime.services.forking import fork
from tests.core.builders import a_frame, a_session
from tests.runtime.scenes import a_world, actions, events, frame
from tests.runtime.script import Script, calls, judging

PUT = calls(("put", {"n": 1}))


class Shelf:
    """What the tools change."""

    def __init__(self):
        self.values = {1: 0, 2: 0}
        self.made = Counter()

    def tools(self):
        @tool(effect="readonly")
        def get(n: int) -> int:
            """Read a value."""
            return self.values[n]

        @tool
        def put(n: int, value: int = 1) -> int:
            """Write a value."""
            self.made[n] += 1
            self.values[n] = value
            return value

        return get, put


POLICY = """version: 1
tools:
  - {match: get, class: readonly}
  - match: put
    class: reversible
    gate: GATE
    snapshot: {tool: get, args: {n: $.n}}
    inverse: {tool: put, args: {n: $.n, value: $snapshot}}
"""


@pytest.fixture
def policy(tmp_path):
    """A manifest with a gate, or without."""

    def read(gate="never"):
        path = tmp_path / f"{gate}.yaml"
        path.write_text(POLICY.replace("GATE", gate))
        return read_policy(str(path))

    return read


def forked(world, run, at, *, state=None, key=""):
    """The fork, once it has settled."""
    request = ForkRequest(run=run.id, at=at, state=state or {})
    new = fork(world.process.engine, run, request, idempotency_key=key)
    world.settle()
    return world.run(new.id)


def two_steps(policy, *, light=False):
    """A world with a run that wrote 1, then 2, then answered; and what it wrote to."""
    shelf = Shelf()
    script = Script(
        [PUT, calls(("put", {"n": 2})), "done"],
        interpret=[{"goals": ["Both."], "tasks": []}],
        evaluate=[judging({"facts": ["one"]}), judging({"facts": ["two"]})],
    )
    world = a_world(script, *shelf.tools(), policy=policy(), desk={"light": light})
    return world, world.ask("Go."), shelf, script


@pytest.mark.parametrize("light", [False, True])
def test_a_fork_repeats_only_what_came_from_its_step_on(policy, light):
    """The first write is not made again; the second is the fork's own."""
    world, run, shelf, _ = two_steps(policy, light=light)
    world.model = Script([calls(("put", {"n": 2})), "done again"])
    new = forked(world.again(model=world.model), run, 2)
    assert (new.status, new.output.value, new.forked_from, new.forked_at) == ("succeeded", "done again", run.id, 2)
    assert shelf.made == {1: 1, 2: 2}
    assert [action.id for action in actions(world, new)] == [f"{new.id}.2.0"]
    assert world.run(run.id) == run


def test_a_fork_begins_with_the_state_of_its_step(policy):
    """Not with what the run learned afterwards; ids go on where they were."""
    world, run, *_ = two_steps(policy)
    other = world.again(model=Script(["done"]))
    new = forked(other, run, 2)
    facts = {item.id: item.text for item in other.process.runs.session(new.session, owner="ada").state["facts"].items}
    assert facts == {"F_001": "one"}
    assert [item.text for item in frame(other, new).local["goals"].items] == ["Both."]
    latest = {item.id for item in other.process.runs.session(run.session, owner="ada").state["facts"].items}
    assert latest == {"F_001", "F_002"}


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_fork_asks_what_the_run_asked_at_that_step(policy, at):
    """Same conversation, state and feedback: the model sees what it saw then."""
    world, run, _, script = two_steps(policy)
    before = next(r for r in script.requests if r.step == at and r.purpose in ("interpret", "plan"))
    model = Script(["done"], interpret=[{"goals": ["Both."], "tasks": []}])
    forked(world.again(model=model), run, at)
    after = model.requests[0]
    assert (after.purpose, after.step) == (before.purpose, before.step)
    assert [part for part in after.parts if part.title != "status"] == [
        part for part in before.parts if part.title != "status"
    ]


def test_an_undo_of_a_fork_takes_back_what_the_fork_did(policy):
    """What the run before it wrote stays, and can be undone by itself."""
    world, run, shelf, _ = two_steps(policy)
    other = world.again(model=Script([calls(("put", {"n": 2, "value": 7})), "done"]))
    new = forked(other, run, 2)
    assert shelf.values == {1: 1, 2: 7}
    other.process.runs.undo(new.id, owner="ada")
    other.settle()
    assert (other.run(new.id).status, shelf.values) == ("undone", {1: 1, 2: 1})
    other.process.runs.undo(run.id, owner="ada")
    other.settle()
    assert (other.run(run.id).status, shelf.values) == ("undone", {1: 0, 2: 0})


def test_a_gate_of_the_run_approves_nothing_in_the_fork(policy):
    """The same call with the same arguments is asked about again."""
    shelf = Shelf()
    world = a_world(Script([PUT, "done"]), *shelf.tools(), policy=policy("always"))
    run = world.ask("Go.")
    world.process.gates.decide(f"{run.id}.1.0.1", "approve", user="ada", via="cli")
    world.settle()
    assert (world.run(run.id).status, shelf.made) == ("succeeded", {1: 1})
    new = forked(world.again(model=Script([PUT, "done"])), world.run(run.id), 1)
    assert (new.status, shelf.made) == ("waiting", {1: 1})
    assert [gate.id for gate in world.process.gates.of_run(new.id)] == [f"{new.id}.1.0.1"]


def test_a_run_that_waits_can_be_forked(policy):
    """It is only read; it goes on waiting."""
    shelf = Shelf()
    world = a_world(Script([PUT, "done"]), *shelf.tools(), policy=policy("always"))
    run = world.ask("Go.")
    new = forked(world.again(model=Script(["done without"])), run, 1)
    assert (new.status, new.output.value) == ("succeeded", "done without")
    assert world.run(run.id) == run


def test_state_can_be_changed_before_a_fork_begins(policy):
    """What the agent believed wrongly, or did not know."""
    world, run, *_ = two_steps(policy)
    model = Script(["done"])
    new = forked(world.again(model=model), run, 2, state={"facts": ["three", {"id": "F_001", "text": ""}]})
    facts = world.process.runs.session(new.session, owner="ada").state["facts"].items
    assert [item.text for item in facts] == ["three"]
    assert "three" in model.requests[0].part("state")
    assert events(world, new, "state.updated")[0].data["applied"][0]["id"] == "F_002"


def test_a_change_that_does_not_fit_starts_nothing(policy):
    """Each part of it is named."""
    world, run, *_ = two_steps(policy)
    before = world.documents()
    with pytest.raises(InvalidInput, match="unknown key 'nonsense'") as caught:
        forked(world, run, 2, state={"nonsense": "x", "facts": "good"})
    assert (caught.value.code, world.documents()) == ("state_refused", before)


@pytest.mark.parametrize("at", [0, 4, 99])
def test_there_is_no_fork_at_a_step_that_was_never_reached(policy, at):
    """The steps that there are, are named."""
    world, run, *_ = two_steps(policy)
    with pytest.raises(NotFound, match=f"no step {at} to begin at. Its steps are 1 to 3") as caught:
        forked(world, run, at)
    assert caught.value.code == "step_not_found"


def test_a_fork_can_be_forked(policy):
    """From the step at which it began on."""
    world, run, *_ = two_steps(policy)
    other = world.again(model=Script(["done"]))
    first = forked(other, run, 2)
    second = forked(other, first, 2, state={"facts": "more"})
    assert (second.status, second.forked_from) == ("succeeded", first.id)
    with pytest.raises(NotFound, match="Its steps are 2 to 2"):
        forked(other, first, 1)


def test_a_key_makes_one_fork_however_often_it_is_sent(policy):
    """With another request it is an error."""
    world, run, *_ = two_steps(policy)
    other = world.again(model=Script(["done"]))
    once = forked(other, run, 2, key="k")
    assert forked(other, run, 2, key="k") == once
    with pytest.raises(InvalidInput) as caught:
        forked(other, run, 3, key="k")
    assert caught.value.code == "idempotency_key_reused"


def test_a_fork_has_a_budget_and_a_time_of_its_own(policy):
    """The run before it may have used up its own, years ago."""
    shelf = Shelf()

    def slow(request):
        world.clock.advance(minutes=2)
        return judging()(request)

    world = a_world(Script([PUT], evaluate=[slow]), *shelf.tools(), policy=policy(), budget=Budget(wall_s=60))
    run = world.ask("Go.")
    assert (run.status, run.stop_reason) == ("failed", "budget")
    world.clock.advance(days=400)
    new = forked(world.again(model=Script(["done"])), run, 2)
    assert (new.status, new.usage.tokens) == ("succeeded", 110)


def test_a_limit_of_cost_binds_a_fork_as_it_bound_the_run(policy):
    """Models without a price are not asked in the fork either."""
    shelf = Shelf()
    script = Script([PUT, "done"], evaluate=[judging()])
    world = a_world(script, *shelf.tools(), policy=policy(), budget=Budget(cost_micro_usd=1000))
    run = world.ask("Go.")
    world.prices = Prices()
    new = forked(world.again(), run, 2)
    assert (run.cost_bound, new.cost_bound, new.stop_reason) == (True, True, "budget")


def test_a_fork_at_a_step_after_a_retry_begins_as_the_retry_did(policy):
    """The later of two moves of that name counts."""
    from entracte.errors import ModelRefused
    from entracte.runtime.services.going_on import retry

    shelf = Shelf()
    plans = [PUT, ModelRefused("No."), calls(("put", {"n": 2})), "done"]
    script = Script(plans, evaluate=[judging({"facts": ["one"]})])
    world = a_world(script, *shelf.tools(), policy=policy())
    run = world.ask("Go.")
    retry(world.process.engine, run, by="ada")
    world.settle()
    assert world.run(run.id).status == "succeeded"
    assert forked(world.again(model=Script(["done"])), world.run(run.id), 3).status == "succeeded"


def test_the_agent_of_a_fork_is_told_when_the_earlier_changes_were_taken_back(policy):
    """Its state speaks of changes that are no more."""
    world, run, *_ = two_steps(policy)
    world.process.runs.undo(run.id, owner="ada")
    world.settle()
    model = Script(["done"])
    forked(world.again(model=model), world.run(run.id), 2)
    assert TAKEN_BACK in model.requests[0].part("feedback")


def test_the_turns_before_it_are_in_the_new_session(policy):
    """The old conversation stays as it is."""
    world = a_world(Script(["one", "two"]))
    world.ask("First.", key="1")
    run = world.ask("Second.", key="2")
    new = forked(world.again(model=Script(["other"])), run, 1)
    session = world.process.runs.session(new.session, owner="ada")
    lines = [(turn.role, turn.text) for turn in world.process.runs.turns(session).items]
    assert lines == [("user", "First."), ("assistant", "one"), ("user", "Second."), ("assistant", "other")]
    assert world.process.runs.session(run.session, owner="ada").turns == 4


def test_a_step_after_an_initial_tool_can_be_forked():
    """The tool is not called again."""
    made = []

    @tool(effect="readonly")
    def greet(message: str) -> str:
        """Greet."""
        made.append(message)
        return "hello"

    for light in (False, True):
        made.clear()
        model = Script(["done"])
        world = a_world(model, greet, desk={"light": light, "initial_tool": greet})
        run = world.ask("Go.")
        new = forked(world.again(model=Script(["again"])), run, 1)
        assert (new.status, new.output.value, made) == ("succeeded", "again", ["Go."])


def test_sub_agents_keep_no_boundaries():
    """A fork begins at a step of the root agent only."""
    clerk = Agent(name="clerk", prompt="You note.")
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["noted"]})
    world = a_world(model, agents=[clerk])
    run = world.ask("Go.")
    kept = {entry.id for entry in world.process.runs.journal(run).items if entry.boundary is not None}
    assert kept == {f"{run.id}.started", f"{run.id}.1.evaluate"}


def test_a_boundary_that_is_too_large_is_not_kept():
    """The run goes on all the same."""
    assert boundary_of(a_frame(feedback=("x" * 5_000_000,)), a_session()) is None
