"""The context grows with state, not with history (core/asking/context.py)."""

import json

import pytest

from entracte.agents import Agent, Budget, State, tool
from entracte.core.asking.context import RESULT_CHARS
from entracte.core.modelling import ModelReply
from tests.gates.scene import Scene
from tests.runtime.scenes import a_world
from tests.runtime.script import Script, calls, results

STEPS = 100


def size(request):
    """Characters that are sent: instructions, parts, tools and schema."""
    tools = [(schema.name, schema.description, dict(schema.parameters)) for schema in request.tools]
    parts = [(part.title, part.text) for part in request.parts]
    return len(json.dumps([request.system, parts, tools, dict(request.schema or {})]))


def test_a_long_run_sends_no_more_than_a_short_one():
    """A hundred steps of 5 KB results: the request at step 100 is hardly larger than the one at step 10."""
    marker = "RAW-RESULT-OF-STEP"

    @tool(effect="readonly")
    def read(page: int) -> str:
        """Read a page."""
        return f"{marker} {page} " + f"{page:05d}" * 1000

    def next_page(request):
        return calls(("read", {"page": request.step})) if request.step <= STEPS else ModelReply(value="read it all")

    def keep_latest(request):
        page = results(request)[0]["arguments"]["page"]
        item = "latest page: 1" if page == 1 else {"id": "F_001", "text": f"latest page: {page}"}
        verdicts = [{"call": call["call"], "verdict": "ok", "note": ""} for call in results(request)]
        return ModelReply(value={"verdicts": verdicts, "state": {"facts": [item]}})

    model = Script([next_page], evaluate=[keep_latest])
    world = a_world(model, read, desk={"max_steps": STEPS + 2}, budget=Budget(tokens=10**9, actions=STEPS))
    run = world.ask("Read.")
    assert run.output.value == "read it all"
    for purpose in ("plan", "evaluate"):
        sizes = {request.step: size(request) for request in model.asked(purpose)}
        assert sizes[STEPS] <= 1.3 * sizes[10]
        assert max(sizes.values()) <= 1.3 * sizes[10]
    assert "latest page: 99" in model.asked("plan")[STEPS - 1].part("state")
    for request in model.requests:
        text = json.dumps([part.text for part in request.parts])
        assert text.count(marker) == (1 if request.purpose == "evaluate" else 0)


def test_a_hundred_calls_send_a_twelfth_of_what_a_log_would():
    """A loop that keeps its log sends every earlier result again with each call; ours sends each result once."""
    result = "r" * 5000

    @tool(effect="readonly")
    def read(page: int) -> str:
        """Read a page."""
        return result

    def next_page(request):
        return calls(("read", {"page": request.step})) if request.step <= STEPS else ModelReply(value="read it all")

    model = Script([next_page])
    a_world(model, read, desk={"max_steps": STEPS + 2}, budget=Budget(tokens=10**9, actions=STEPS)).ask("Read.")
    a_log = sum(number * len(result) for number in range(1, STEPS + 1))
    assert a_log / sum(map(size, model.requests)) >= 12


def test_a_long_result_is_shown_shortened_and_kept_whole():
    """The judge sees how much is missing."""

    @tool(effect="readonly")
    def dump() -> str:
        """Give much."""
        return "x" * 50_000

    model = Script([calls(("dump", {})), "done"])
    a_world(model, dump).ask("Go.")
    (shown,) = results(model.asked("evaluate")[0])
    assert shown["result"].startswith('"xxx')
    assert shown["result"].endswith(f"… ({50_002 - RESULT_CHARS:,} more characters are kept, not shown)")


def test_a_criterion_is_shown_to_the_judge_only():
    """Beside the result that it judges."""

    @tool(effect="readonly", evaluation="At least one hit.")
    def look() -> str:
        """Look."""
        return "seen"

    model = Script([calls(("look", {})), "done"])
    a_world(model, look).ask("Go.")
    (judged,) = model.asked("evaluate")
    assert results(judged)[0]["criterion"] == "At least one hit."
    others = [request for request in model.requests if request is not judged]
    assert all("At least one hit." not in str(request) for request in others)


def test_citing_is_asked_for_only_once_tools_were_used():
    """Small talk stays free of it."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    model = Script([calls(("look", {})), "done"])
    a_world(model, look).ask("Go.")
    first, second = model.asked("plan")
    assert ("evidence" in first.system, "evidence" in second.system) == (False, True)


@pytest.mark.parametrize("light", [False, True])
def test_the_status_says_what_is_left(light):
    """Steps, calls and changes; the same to a light agent, whose step is taken in with its plan."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    model = Script([calls(("look", {})), "done"])
    a_world(model, look, budget=Budget(actions=9, writes=3), desk={"max_steps": 4, "light": light}).ask("Go.")
    assert [request.part("status").split(". ", 1)[1] for request in model.asked("plan")] == [
        "Step 1 of 4. Left: 9 calls, 3 changes. Long-term memory is off.",
        "Step 2 of 4. Left: 8 calls, 3 changes. Long-term memory is off.",
    ]


class Cases(State):
    """A network's own keys."""

    from entracte.agents import Key

    cases = Key(scope="global", prefix="C", description="Open cases.", how_to="One case an item.")
    questions = None


def test_the_networks_own_keys_are_described_to_the_model():
    """And those that it does without are not."""
    model = Script(["done"])
    a_world(model, state=Cases).ask("Go.")
    keys = model.asked("plan")[0].part("state_keys")
    assert "- cases: Open cases. One case an item." in keys
    assert "- questions" not in keys
    assert "cases" in str(model.asked("interpret")[0].part("state_keys"))


def test_empty_parts_are_left_out():
    """A model reads nothing into an empty heading."""
    model = Script(["done"])
    a_world(model).ask("Go.")
    assert [part.title for part in model.asked("plan")[0].parts] == ["state_keys", "state", "status", "input"]


def test_knowledge_is_always_in_the_context():
    """Of every request of its agent, and of no other's."""
    clerk = Agent(name="clerk", prompt="You note.", knowledge="The clerk's handbook.", light=True)
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["ok"]})
    a_world(model, agents=[clerk], desk={"knowledge": "The desk's handbook."}).ask("Go.")
    for request in model.requests:
        assert request.part("knowledge") == f"The {request.agent}'s handbook."


def test_each_role_has_its_model():
    """Planning looks first; an agent's own model comes before the network's."""
    from entracte.agents import Models, Network
    from entracte.testing.world import World

    clerk = Agent(name="clerk", prompt="You note.", model="scripted/clerk", planning_model="scripted/clerks-planning")
    desk = Agent(name="desk", prompt="You answer.", agents=[clerk])
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["ok"]})
    network = Network(entry=desk, models=Models(main="scripted/main", planning="scripted/planning"))
    World(network, model).ask("Go.")
    assert [
        (request.agent, request.purpose, request.model.removeprefix("scripted/")) for request in model.requests
    ] == [
        ("desk", "interpret", "planning"),
        ("desk", "plan", "main"),
        ("clerk", "interpret", "clerks-planning"),
        ("clerk", "plan", "clerk"),
        ("desk", "evaluate", "main"),
        ("desk", "plan", "main"),
    ]


def test_an_agents_settings_reach_its_requests():
    """Temperature only where it is set."""
    model = Script(["done"])
    a_world(model, desk={"temperature": 0.3, "max_output_tokens": 99}).ask("Go.")
    assert {(request.temperature, request.max_output_tokens) for request in model.requests} == {(0.3, 99)}
    model = Script(["done"])
    a_world(model).ask("Go.")
    assert {(request.temperature, request.max_output_tokens) for request in model.requests} == {(None, 8192)}


def test_a_time_zone_that_is_not_known_here_is_left_out():
    """It was known where the run was started, or somebody edited it: the agent is told the time all the same."""
    scene = Scene(("read", {"id": 1}), start=False)
    scene.edit(f"runs/{scene.id}", time_zone="Nowhere/Else")
    scene.settle()
    assert scene.status == "succeeded"
    assert "(UTC)" in scene.model.asked("plan")[0].part("status")
