"""Tools that remember, recall and forget, and how they are taken back (toolbox/memory)."""

from __future__ import annotations

import pytest

from entracte.toolbox.memory import memory_tools
from tests.runtime.scenes import actions, value
from tests.runtime.script import calls
from tests.toolbox.memory_scene import Meaning, Remembering, a_world


def done(*wanted, embedder=None, before=()):
    """A world after a run that makes these calls, one a step, and its run."""
    model = Remembering([*(calls(one) for one in wanted), "done"])
    world = a_world(model, *memory_tools, embedder=embedder)
    for text in before:
        world.process.open_memories("ada").remember(key=text, text=text, day="2025-12-31")
    return world, world.ask("Go.")


def results(world, run):
    """What each call gave."""
    return [value(action.result) if action.status == "applied" else action.error for action in actions(world, run)]


def texts(world):
    """What is remembered of Ada."""
    return [item.text for item in world.process.open_memories("ada").page(limit=100).items]


def undo(world, run):
    """Take the run back; gives its status."""
    world.process.runs.undo(run.id, owner="ada")
    world.settle()
    return world.run(run.id).status


def test_what_is_remembered_is_recalled():
    """By meaning; no person has to agree."""
    world, run = done(
        ("remember", {"text": "Ada drinks tea.", "category": "preference", "tags": ["taste"]}),
        ("recall", {"query": "beverage"}),
        embedder=Meaning(),
    )
    made, found = results(world, run)
    assert found == [made]
    assert {name: made[name] for name in ("text", "category", "tags", "date", "run")} == {
        "text": "Ada drinks tea.",
        "category": "preference",
        "tags": ["taste"],
        "date": "2026-01-01",
        "run": run.id,
    }


def test_remembering_is_undone():
    """It is forgotten again."""
    world, run = done(("remember", {"text": "Ada drinks tea."}))
    assert texts(world) == ["Ada drinks tea."]
    assert (undo(world, run), texts(world)) == ("undone", [])


def test_forgetting_is_undone():
    """With its id, its date, and what it means."""
    world, _ = done(before=["Ada drinks tea."], embedder=Meaning())
    before = world.process.open_memories("ada").recall("beverage")[0]
    world.model._plans = {"desk": [calls(("forget", {"memory": before.id})), "done"]}
    run = world.ask("Forget it.", key="2")
    assert texts(world) == []
    assert undo(world, run) == "undone"
    after = world.process.open_memories("ada").recall("beverage")[0]
    assert after == before.evolve(rev=after.rev)


def test_memories_are_read_by_date():
    """First on which days, then what."""
    world, run = done(
        ("list_memory_dates", {}), ("read_memories_by_date", {"date": "2025-12-31"}), before=["Ada drinks tea."]
    )
    dates, read = results(world, run)
    assert dates == [{"date": "2025-12-31", "memories": 1}]
    assert [one["text"] for one in read] == ["Ada drinks tea."]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (("forget", {"memory": "m_000000000000"}), "There is no memory 'm_000000000000'."),
        (("forget", {"memory": "../../runs"}), "There is no memory '../../runs'."),
        (("remember", {"text": " "}), "A memory has 1 to 2,000 characters, and this one 0."),
        (("remember", {"text": "x" * 2001}), "/text"),
        (("recall", {"query": "x", "category": "gossip"}), "/category"),
        (("read_memories_by_date", {"date": "yesterday"}), "/date"),
    ],
)
def test_what_cannot_be_done_is_told(call, error):
    """And nothing is written."""
    world, run = done(call)
    assert error in results(world, run)[0]
    assert texts(world) == []


def test_the_rules_helpers_are_shown_to_no_agent():
    """They are for undo."""
    world, _ = done()
    names = {schema.name for schema in world.model.asked("plan")[0].tools}
    assert names == {tool.name for tool in memory_tools}
