"""The calls of a step come together (fan_in.py)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from entracte.agents import Agent, tool
from tests.runtime.crowd import settle_at_once
from tests.runtime.scenes import a_world, actions, value
from tests.runtime.script import Script, calls, judging


def a_crowded_world(effect="readonly"):
    """Eight calls that all end at the same moment."""
    meeting = Barrier(8)

    @tool(effect=effect)
    def meet(number: int) -> int:
        """Wait for the others."""
        if effect == "readonly":
            meeting.wait(timeout=20)
        return number

    model = Script(
        [calls(*(("meet", {"number": n}) for n in range(8))), "done"], evaluate=[judging({"facts": ["met"]})]
    )
    return a_world(model, meet), model


@pytest.mark.parametrize("effect", ["readonly", "changing"])
def test_eight_calls_that_end_at_once_are_evaluated_once(effect):
    """Nobody waits for anybody: each looks at the others after its own end, so the last one sees all."""
    for _ in range(5):
        world, _ = a_crowded_world(effect)
        run = world.start("Meet.")
        settle_at_once(world)
        ended = world.run(run.id)
        entries = [entry.id for entry in world.process.runs.journal(run, limit=1000).items]
        assert (ended.status, ended.output.value) == ("succeeded", "done")
        assert [value(action.result) for action in actions(world, run)] == list(range(8))
        assert [entry for entry in entries if entry.endswith(".evaluate")] == [f"{run.id}.1.evaluate"]
        assert [item["text"] for item in world.process.state.get("session", owner="ada")["facts"]] == ["met"]


def test_calls_write_only_their_own_documents():
    """Nothing is contended, so eight ends are eight commits, whatever happens at the same time."""
    world, _ = a_crowded_world()
    world.start("Meet.")
    world.deliver(world.bus.waiting.pop(0))
    before = {path: fields["rev"] for path, fields in world.documents().items()}
    messages, world.bus.waiting = world.bus.waiting, []
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(world.deliver, messages))
    after = {path: fields["rev"] for path, fields in world.documents().items()}
    written = {path: rev for path, rev in after.items() if rev != before.get(path)}
    assert {path.split("/")[2] for path in written} == {"actions", "journal"}
    assert [rev for path, rev in written.items() if "/actions/" in path] == [2] * 8


def test_readonly_calls_run_in_parallel_and_changing_ones_one_after_the_other():
    """The plan sends all readonly calls and the first changing one; each changing call's end sends the next."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    @tool
    def change() -> str:
        """Change."""
        return "changed"

    wanted = [("change", {}), ("look", {}), ("change", {}), ("look", {}), ("change", {})]
    world = a_world(Script([calls(*wanted), "done"]), look, change)
    world.start("Go.")
    world.deliver(world.bus.waiting.pop(0))
    sent = []
    while world.bus.waiting and world.bus.waiting[0].kind == "execute":
        message = world.bus.waiting.pop(0)
        world.deliver(message)
        sent.append((message.action[-1], [m.action[-1:] or m.kind for m in world.bus.waiting]))
    assert sent == [
        ("0", ["1", "3", "2"]),
        ("1", ["3", "2"]),
        ("3", ["2"]),
        ("2", ["4"]),
        ("4", ["evaluate"]),
    ]


def test_agents_and_tools_of_a_step_come_together():
    """Whichever of them ends last."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    clerks = [Agent(name=name, prompt="You note.", light=True) for name in ("ann", "bob")]
    wanted = calls(("ann", {"message": "x"}), ("look", {}), ("bob", {"message": "y"}))
    for reverse in (False, True):
        model = Script({"desk": [wanted, "done"], "ann": ["a"], "bob": ["b"]})
        world = a_world(model, look, agents=clerks)
        run = world.start("Go.")
        while world.bus.waiting:
            world.deliver(world.bus.waiting.pop(-1 if reverse else 0))
        assert [value(action.result) for action in actions(world, run)] == ["a", "seen", "b"]
        assert world.run(run.id).status == "succeeded"
        assert len(model.asked("evaluate")) == 1
