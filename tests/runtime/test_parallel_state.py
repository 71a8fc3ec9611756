"""Agents that write shared state at the same time (changing_state.py, delivery.py)."""

import json
from threading import Barrier
from uuid import uuid4

import pytest
from hypothesis import given, settings, strategies as st

from entracte.agents import Agent, Budget, State, tool
from entracte.core.modelling import ModelReply
from tests.runtime.crowd import settle_at_once
from tests.runtime.scenes import a_world
from tests.runtime.script import Script, calls, results

TEXTS = st.lists(st.lists(st.text("abc", min_size=1, max_size=3), max_size=3), min_size=2, max_size=8)


@tool(effect="readonly")
def learn(texts: list[str]) -> list[str]:
    """Learn these."""
    return texts


def keep_all(request):
    """Every text of every result becomes a fact, and a task of the agent's own."""
    texts = [text for call in results(request) if call["tool"] == "learn" for text in call["result"]]
    return ModelReply(value={"verdicts": [], "state": {"facts": texts, "tasks": texts}})


def a_school(lessons, evaluate=keep_all):
    """As many agents as lessons, all asked in one step; each learns its own lesson."""

    def learn_own(request):
        return calls(("learn", {"texts": json.loads(request.part("input"))}))

    pupils = [Agent(name=f"p{n}", prompt="You learn.", tools=[learn]) for n in range(len(lessons))]
    wanted = calls(*((f"p{n}", {"message": json.dumps(lesson)}) for n, lesson in enumerate(lessons)))
    plans = {"desk": [wanted, "done"]} | {pupil.name: [learn_own, "learnt"] for pupil in pupils}
    return a_world(Script(plans, evaluate=[evaluate]), agents=pupils)


def learnt(world):
    """Texts and ids of the session's facts."""
    facts = world.process.state.get("session", owner="ada").get("facts", [])
    return sorted(fact["text"] for fact in facts), [fact["id"] for fact in facts]


@given(TEXTS, st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_no_item_is_lost_and_no_id_given_twice_in_any_order(lessons, random):
    """Diffs are applied at commit, to what is there then."""
    world = a_school(lessons)
    run = world.start("Learn.")
    while world.bus.waiting:
        world.deliver(world.bus.waiting.pop(random.randrange(len(world.bus.waiting))))
    texts, ids = learnt(world)
    assert world.run(run.id).status == "succeeded"
    assert texts == sorted(text for lesson in lessons for text in lesson)
    assert sorted(ids) == [f"F_{n + 1:03d}" for n in range(len(ids))]


def test_no_item_is_lost_and_no_id_given_twice_at_the_same_moment():
    """Eight judges answer at once, on eight processes; whoever loses the race applies its diff again."""
    lessons = [[f"{pupil}-{n}" for n in range(5)] for pupil in range(8)]
    meeting = Barrier(8)

    def keep_together(request):
        if request.agent != "desk":
            meeting.wait(timeout=20)
        return keep_all(request)

    world = a_school(lessons, keep_together)
    run = world.start("Learn.")
    settle_at_once(world)
    texts, ids = learnt(world)
    assert world.run(run.id).status == "succeeded"
    assert texts == sorted(text for lesson in lessons for text in lesson)
    assert sorted(ids) == [f"F_{n:03d}" for n in range(1, 41)]


ROUNDS = 100


@pytest.mark.emulator
def test_two_agents_that_write_at_once_for_a_hundred_rounds_lose_nothing_on_firestore(firestore_emulator):
    """Both judge each round at the same moment, on processes of their own; the loser applies its diff again."""
    from entracte.adapters.gcp.store import FirestoreStore

    meeting = Barrier(2)

    def learn_again(request):
        if request.step > ROUNDS:
            return ModelReply(value="learnt")
        return calls(("learn", {"texts": [f"{request.agent} learnt {request.step}"]}))

    def keep_together(request):
        if request.agent != "desk":
            meeting.wait(timeout=60)
        return keep_all(request)

    pupils = [Agent(name=f"p{n}", prompt="You learn.", tools=[learn], max_steps=ROUNDS + 1) for n in range(2)]
    wanted = calls(*((pupil.name, {"message": "Learn."}) for pupil in pupils))
    plans = {"desk": [wanted, "done"], "p0": [learn_again], "p1": [learn_again]}
    world = a_world(
        Script(plans, evaluate=[keep_together]),
        agents=pupils,
        store=FirestoreStore(f"demo-{uuid4().hex[:12]}", emulator=firestore_emulator),
        budget=Budget(actions=1000),
        state=Boundless,
    )
    run = world.start("Learn.")
    settle_at_once(world, processes=2, rounds=10 * ROUNDS)
    texts, ids = learnt(world)
    assert world.run(run.id).status == "succeeded"
    assert texts == sorted(f"p{n} learnt {step}" for n in range(2) for step in range(1, ROUNDS + 1))
    assert sorted(ids, key=lambda id: int(id[2:])) == [f"F_{n:03d}" for n in range(1, 2 * ROUNDS + 1)]


class Boundless(State):
    max_tokens = 0


def test_each_agent_keeps_its_own_state():
    """Local state is the frame's, as locals are a call's."""
    world = a_school([["a"], ["b", "c"]])
    run = world.ask("Learn.")
    tasks = {f.agent: [item.text for item in f.local["tasks"].items] for f in world.process.runs.frames(run) if f.local}
    assert tasks == {"p0": ["a"], "p1": ["b", "c"]}
