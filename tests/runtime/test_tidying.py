"""State within its room: finished tasks leave, items are merged, nothing is lost (core/tidying)."""

import json
import re

import pytest

from entracte.agents import Budget, State, tool
from entracte.core.modelling import ModelReply
from entracte.core.tidying.loss_check import lost_by
from entracte.errors import ModelRefused
from tests.runtime.scenes import a_world, events, frame
from tests.runtime.script import Script, calls, judging, results

STEPS = 200
SENTENCE = re.compile(r"Station (S\d+) measured ([\d.]+) degrees")
SHORT = re.compile(r"(S\d+)=([\d.]+)")


@tool(effect="readonly")
def measure(station: int) -> str:
    """Measure: 5 KB, of which one line matters."""
    return f"Station S{station} measured {value(station)} degrees. " + "noise " * 840


def value(station):
    """What a station measures."""
    return f"{station % 37}.{station % 10}"


def readings(texts):
    """Every reading that stands in these texts, whichever way it is written."""
    return {found for text in texts for pattern in (SENTENCE, SHORT) for found in pattern.findall(text)}


def note_reading(request):
    """Each result becomes a fact, and a task that is done."""
    (call,) = results(request)
    found = SENTENCE.search(call["result"])
    state = {"facts": [f"{found[0]} at noon, as it says."], "tasks": [f"done: {call['arguments']['station']}"]}
    return ModelReply(value={"verdicts": [], "state": state})


def merge_readings(request):
    """All facts become one list."""
    facts = json.loads(request.part("state"))["facts"]
    listed = ", ".join(f"{station}={degrees}" for station, degrees in sorted(readings(f["text"] for f in facts)))
    text = f"Station measured degrees: {listed}"
    return ModelReply(value={"merges": [{"key": "facts", "ids": [f["id"] for f in facts], "text": text}]})


class Roomy(State):
    max_tokens = 1500


def a_station(merge=merge_readings, state=Roomy, steps=STEPS, evaluate=note_reading, **how):
    """A world whose desk measures at many stations, one after the other, and its model."""

    def plan(request):
        next_one = calls(("measure", {"station": request.step}))
        return next_one if request.step <= steps else ModelReply(value="All measured.")

    model = Script([plan], evaluate=[evaluate], merge=[merge])
    budget = Budget(actions=1000, tokens=10**9, cost_micro_usd=10**9)
    return a_world(model, measure, desk={"max_steps": steps + 2} | how, budget=budget, state=state), model


def size_of(request):
    """Bytes of a request."""
    return sum(len(part.text.encode()) for part in request.parts)


def test_two_hundred_steps_stay_within_the_states_room_with_every_fact_still_there():
    """And what each request sends stays flat, though 1 MB of results went by."""
    world, model = a_station()
    run = world.ask("Measure.")
    facts = [item["text"] for item in world.process.state.get("session", owner="ada")["facts"]]
    assert (run.status, run.output.value) == ("succeeded", "All measured.")
    assert readings(facts) == {(f"S{n}", value(n)) for n in range(1, STEPS + 1)}
    sizes = [size_of(request) for request in model.asked("plan")]
    assert max(sizes[100:]) < 1.1 * max(sizes[20:100])
    states = [len(request.part("state").encode()) // 3 for request in model.asked("plan")]
    assert max(states) <= Roomy.max_tokens
    assert 0 < len(model.asked("merge")) < STEPS / 5
    merged = [e.data for e in events(world, run, "state.updated") if "items were merged" in e.data.get("why", "")]
    assert len(merged) == len(model.asked("merge"))  # none of it silently


def test_done_and_dropped_tasks_leave_first_and_no_model_is_asked_for_that():
    """It is told as a change of state of its own."""
    tasks = [*(f"done: {n} " + "x" * 300 for n in range(10)), "to do: the rest, not done yet", "Dropped: y"]
    world, model = a_station(evaluate=judging({"tasks": tasks}), state=Roomy, steps=2)
    run = world.ask("Measure.")
    assert model.asked("merge") == []
    left = [item.text for item in frame(world, run).local["tasks"].items]
    assert left == ["to do: the rest, not done yet"] * 2
    (told,) = [e.data for e in events(world, run, "state.updated") if e.data.get("why")]
    assert told["why"].endswith("tasks that are done or dropped leave it.")
    assert {change["text"] for change in told["applied"]} == {""}


LONG = "The office in Rome, reached at +39 06 1234, opens at {n} on weekdays and stays open until the evening. "


def a_full_desk(merge, **how):
    """A desk whose first step notes three long facts, an evidence that names one, and outgrows its room."""

    class Narrow(State):
        max_tokens = 100

    notes = [LONG.format(n=n) for n in (7, 8, 9)]
    keep = iter([{"facts": notes, "evidences": ["F_002: the letter of 3 May"]}])
    return a_station(merge, Narrow, 1, lambda r: judging(next(keep, {}))(r), **how)


def facts_of(world):
    """Facts and evidences of the session."""
    state = world.process.state.get("session", owner="ada")
    return [(i["id"], i["text"]) for key in ("facts", "evidences") for i in state[key]]


def merging(ids, text):
    """A reply that merges these facts."""
    return {"merges": [{"key": "facts", "ids": ids, "text": text}]}


GOOD = "The office in Rome, reached at +39 06 1234, opens at 7, 8, 9 on weekdays and stays open until evening."


def test_a_merge_goes_into_the_first_item_and_others_name_that_one():
    """By id, as any change of state."""
    world, model = a_full_desk(merging(["F_001", "F_002", "F_003"], GOOD))
    run = world.ask("Measure.")
    assert facts_of(world) == [("F_001", GOOD), ("E_001", "F_001: the letter of 3 May")]
    assert [r.purpose for r in model.requests] == ["interpret", "plan", "evaluate", "merge", "plan"]
    assert run.usage.model_calls == 5
    assert json.loads(model.requests[-1].part("state"))["facts"] == [{"id": "F_001", "text": GOOD}]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (merging(["F_001", "F_002"], GOOD.replace("8", "eight")), "8 would be lost"),
        (merging(["F_001", "F_002"], GOOD.replace("7,", "70,")), "7 would be lost"),
        (merging(["F_001", "F_002"], GOOD.replace("7,", "7.5,")), "7 would be lost"),
        (merging(["F_001", "F_002"], GOOD.replace("Rome", "Italy")), "Rome would be lost"),
        (merging(["F_001", "F_002"], "The Rome: +39 06 1234 7 8"), "too little of the words is kept"),
        (merging(["F_001", "F_002"], GOOD + "x" * 200), "it would not be shorter"),
        (merging(["F_001", "F_009"], GOOD), "there is no item 'F_009'"),
        (merging(["F_001", "F_001"], GOOD), "one item is no merge"),
        ({"merges": [*merging(["F_001", "F_002", "F_003"], GOOD)["merges"] * 2]}, "F_001 was merged already"),
        ({"merges": "all"}, "/merges"),
        (ModelRefused("No."), "No."),
    ],
)
def test_a_merge_that_would_lose_something_is_refused_and_told(reply, why):
    """The items stay as they are, over their room, and the step goes on."""
    world, model = a_full_desk(reply)
    run = world.ask("Measure.")
    (told,) = [e.data for e in events(world, run, "state.updated") if "items were merged" in e.data.get("why", "")]
    assert why in told["refused"][-1]["message"]
    assert (run.status, len(model.asked("merge"))) == ("succeeded", 1)
    if "was merged already" not in why:
        assert len(facts_of(world)) == 4


def test_an_item_that_changed_meanwhile_is_not_merged():
    """The check looks at what is there at the commit, not at what the model has read."""

    def meanwhile(request):
        world.process.state.change("session", {"facts": [{"id": "F_002", "text": "It closes in 2031."}]}, owner="ada")
        return ModelReply(value=merging(["F_001", "F_002"], GOOD))

    world, _ = a_full_desk(meanwhile)
    world.ask("Measure.")
    assert ("F_002", "It closes in 2031.") in facts_of(world)


def test_without_budget_nothing_is_merged_and_a_bound_of_zero_is_none():
    """State is never cut."""

    class Boundless(State):
        max_tokens = 0

    world, model = a_station(state=Boundless, steps=20)
    world.ask("Measure.")
    assert model.asked("merge") == []
    assert len(world.process.state.get("session", owner="ada")["facts"]) == 20


@pytest.mark.parametrize(
    ("texts", "merged", "lost"),
    [
        (["Ada is on Pro."], "Ada: Pro", ""),
        (["seventeen gulls circle"], "gulls that circle, seventeen", ""),
        (["seventeen gulls circle slowly"], "birds", "too little of the words is kept"),
        (["東京は暑い"], "東京は暑い。", ""),
        (["東京は暑い"], "大阪は暑い", "東京は暑い would be lost"),
        (["mail ada@example.com on 2026-03-01"], "mail ada@example.com, 2026-03-01", ""),
        (["mail ada@example.com on 2026-03-01"], "mail ada@example.com, 2026-03-02", "2026-03-01 would be lost"),
        (["17 and 18"], "17,18", ""),
    ],
)
def test_words_that_carry_a_fact_may_not_go(texts, merged, lost):
    """Numbers, dates, ids and names; and half of the other long words."""
    assert lost_by(texts, merged) == lost


def test_a_run_that_begins_with_state_beyond_its_room_tidies_it_once_and_goes_on():
    """What the run before it could not merge is there when the next one is interpreted."""
    world, model = a_full_desk(merging(["F_001", "F_009"], GOOD))
    world.ask("Measure.")
    before = len(model.requests)
    run = world.ask("Measure again.", key="again")
    assert (run.status, run.output.value) == ("succeeded", "All measured.")
    assert [request.purpose for request in model.requests[before:]][:2] == ["merge", "interpret"]
