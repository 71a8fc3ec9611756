"""After an answer it is decided what to remember, on nobody's time (core/phases/memorize.py)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.agents import Memory
from entracte.core.messages import Message
from entracte.errors import ModelRefused
from entracte.ports.store import Update
from entracte.testing.crashing import Crash, Fuse
from tests.runtime.scenes import events
from tests.runtime.script import fault
from tests.toolbox.memory_scene import Meaning, Remembering, a_world, verdict, written

TEA = "Ada drinks tea without sugar."


def remembering(**lines) -> Remembering:
    """A model that keeps one thing."""
    return Remembering(
        **{"judge": [verdict("She likes tea.", "a preference")], "refine": [written(TEA, tags=["tea"])]} | lines
    )


def kept(world) -> list[str]:
    """Texts that are remembered of Ada."""
    return [item.text for item in world.process.open_memories("ada").page(limit=100).items]


def test_the_answer_is_there_before_anybody_is_asked_what_to_remember():
    """It has a message of its own; the run has ended by then."""
    model = remembering()
    world = a_world(model)
    run = world.start("I take tea without sugar.")
    while world.run(run.id).status != "succeeded":
        world.deliver(world.bus.waiting.pop(0))
    assert world.bus.waiting == [Message(kind="memorize", run=run.id, session="session")]
    assert (model.asked("judge"), kept(world)) == ([], [])
    world.settle()
    assert kept(world) == [TEA]


def test_what_is_kept_has_category_tags_day_and_its_run():
    """And is told as an event, so that nothing is remembered in secret."""
    world = a_world(remembering())
    run = world.ask("I take tea without sugar.")
    (item,) = world.process.open_memories("ada").page(limit=10).items
    assert (item.category, item.tags, item.day, item.run, item.owner) == (
        "preference",
        ("tea",),
        "2026-01-01",
        run.id,
        "ada",
    )
    (saved,) = events(world, run, "memory.saved")
    assert saved.data == {"memory": item.id, "text": TEA, "category": "preference", "tags": ["tea"]}


def test_the_judge_and_the_writer_are_asked_for_their_roles():
    """With the exchange alone: no results of tools, which others may have written."""
    model = remembering()
    a_world(model).ask("I take tea without sugar.")
    (judge,), (writer,) = model.asked("judge"), model.asked("refine")
    assert (judge.model, writer.model) == ("scripted/judge", "scripted/light")
    assert [(part.title, part.text) for part in writer.parts] == [
        ("status", "Today is 2026-01-01."),
        ("asked", "I take tea without sugar."),
        ("answered", "done"),
        ("keep", "She likes tea."),
    ]


def test_the_judge_is_told_what_is_known_and_what_the_network_wants_kept():
    """Or it would keep the same again, and nothing of what only this network cares for."""
    model = remembering()
    world = a_world(model, memory=Memory(keep="how they want their prose"))
    world.process.open_memories("ada").remember(key="k", text=TEA, category="preference")
    world.ask("I take tea without sugar.")
    (judged,) = model.asked("judge")
    assert TEA in judged.part("known")
    assert "Worth keeping here, too: how they want their prose\n" in judged.system


def test_small_talk_leaves_nothing():
    """The writer is not asked, and the journal says why."""
    model = Remembering(judge=[verdict()], refine=[written("never")])
    world = a_world(model)
    run = world.ask("Hello!")
    assert (kept(world), model.asked("refine")) == ([], [])
    assert events(world, run, "thought")[-1].data["text"] == "Nothing to remember: small talk"
    assert world.run(run.id).due is None


def test_a_network_that_does_not_ask_for_memory_has_none():
    """No message, no model call, no document."""
    model = remembering()
    world = a_world(model, memory=None)
    world.ask("I take tea without sugar.")
    assert not [request for request in model.requests if request.purpose in ("judge", "refine")]
    assert not any(path.startswith("memories/") for path in world.documents())
    assert "Long-term memory is off." in model.requests[0].part("status")


def test_a_network_without_memory_imports_none_of_it():
    """Cold starts count: a run from its start to its answer, in a process of its own."""
    script = """
import sys
from entracte.agents import Agent, Models, Network
from entracte.core.modelling import ModelReply
from entracte.testing.world import World

class Done:
    def generate(self, request, *, deadline_s, on_delta=None):
        return ModelReply(value="done" if request.purpose == "plan" else {"goals": [], "tasks": []})

network = Network(entry=Agent(name="desk", prompt="You answer."), models=Models(main="scripted/main"))
assert World(network, Done()).ask("Hello.").status == "succeeded"
parts = ("runtime.memories", "core.phases.memorize", "core.asking.memory", "core.memory.recalling", "toolbox")
print(sorted(name for name in sys.modules if name.removeprefix("entracte.").startswith(parts)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("times", [1, 3])
def test_a_redelivered_message_keeps_nothing_twice(times):
    """Nor does it ask again."""
    model = remembering(refine=[written(TEA), written("something else")])
    world = a_world(model, embedder=Meaning())
    run = world.ask("I take tea without sugar.")
    before, asked = world.documents(), len(model.requests)
    for _ in range(times):
        assert world.deliver(Message(kind="memorize", run=run.id, session="session")) == "it was decided before"
    assert (world.documents(), len(model.requests)) == (before, asked)


def test_a_process_that_dies_anywhere_leaves_each_memory_once():
    """Before and after every commit, publish and read."""
    points = len(_died_at(None)[1].points)
    assert points >= 8
    for at in range(points):
        world, _ = _died_at(at)
        assert kept(world) == [TEA], f"died at point {at}"
        (item,) = world.process.open_memories("ada").page(limit=10).items
        assert item.embedding is not None
        assert world.process.open_memories("ada").days()[0].count == 1


def _died_at(at):
    """A world whose memorize process died at that point, was delivered the message again, and was swept."""
    fuse = Fuse()
    world = a_world(remembering(), embedder=Meaning(), store=MemoryStore())
    run = world.start("I take tea without sugar.")
    while world.run(run.id).status != "succeeded":
        world.deliver(world.bus.waiting.pop(0))
    message = world.bus.waiting[0]
    process = world.dying(fuse)
    fuse.points.clear()
    fuse.at = at
    try:
        process.engine.handle(message)
    except Crash:
        world = world.again()
        world.deliver(message)
    return world, fuse


def test_a_lost_message_is_sent_again_by_sweep():
    """The run says that it has still to be decided, until it was."""
    world = a_world(remembering())
    run = world.start("I take tea without sugar.")
    while world.run(run.id).status != "succeeded":
        world.deliver(world.bus.waiting.pop(0))
    world.bus.waiting.clear()
    world.clock.advance(seconds=16 * 60)
    world.sweep()
    world.settle()
    assert (kept(world), world.run(run.id).due) == ([TEA], None)


def test_sweep_gives_up_what_nobody_decides():
    """A bounded number of times."""
    world = a_world(remembering())
    run = world.start("I take tea without sugar.")
    while world.run(run.id).status != "succeeded":
        world.deliver(world.bus.waiting.pop(0))
    sweeps = 0
    while world.run(run.id).due is not None:
        world.bus.waiting.clear()
        world.clock.advance(days=1)
        world.sweep()
        sweeps += 1
    assert sweeps == 7


@pytest.mark.parametrize("judge", [ModelRefused("No such model."), fault()])
def test_a_judge_that_cannot_be_used_keeps_nothing(judge):
    """The run has its answer all the same."""
    world = a_world(remembering(judge=[judge]))
    run = world.ask("I take tea without sugar.")
    assert (world.run(run.id).status, kept(world), world.run(run.id).due) == ("succeeded", [], None)


def test_an_embedding_model_that_is_gone_leaves_memories_that_are_found_by_words():
    """What was written stays written."""
    meaning = Meaning()
    meaning.embed = _refusing  # type: ignore[method-assign]
    world = a_world(remembering(), embedder=meaning)
    world.ask("I take tea without sugar.")
    assert [item.text for item in world.process.open_memories("ada").recall("sugar in tea")] == [TEA]


def _refusing(texts, *, deadline_s):
    raise ModelRefused("Gone.")


def test_no_more_is_kept_than_the_network_allows():
    """The oldest stays: nobody has said that it may go."""
    model = remembering(refine=[written("One.", "Two.", "Three.")])
    world = a_world(model, memory=Memory(max_items=2))
    run = world.ask("Remember three things.")
    assert sorted(kept(world)) == ["One.", "Two."]
    assert "2 memories are the most" in events(world, run, "thought")[-1].data["text"]


def test_a_time_zone_that_is_not_known_here_does_not_keep_anything_from_being_remembered():
    """Another version knew it: the day is that of UTC."""
    world = a_world(remembering())
    run = world.start("I take tea without sugar.")
    path = f"runs/{run.id}"
    world.store.commit([Update(path, {"time_zone": "Nowhere/Else"}, world.store.load((path,))[path].version)])
    world.settle()
    assert [day.day for day in world.process.open_memories("ada").days()] == ["2026-01-01"]


def test_a_failed_run_leaves_nothing():
    """There was no answer."""
    model = remembering(plans=[ModelRefused("No such model.")])
    world = a_world(model)
    run = world.ask("I take tea without sugar.")
    assert world.deliver(Message(kind="memorize", run=run.id, session="session")) == "the run is failed"
    assert (kept(world), model.asked("judge")) == ([], [])


def test_what_remembering_cost_counts_to_the_run():
    """Two more model calls."""
    world = a_world(remembering())
    run = world.ask("I take tea without sugar.")
    assert world.run(run.id).usage.model_calls == 4


def test_memories_are_written_in_the_personas_voice_and_kept_apart():
    """If the network asks for it."""
    model = remembering()
    world = a_world(model, memory=Memory(persona="mika", voice="as Mika's diary"))
    world.ask("I take tea without sugar.")
    (writer,) = model.asked("refine")
    assert "Write it as Mika's diary." in writer.system
    other = a_world(Remembering(), store=world.store, memory=Memory(persona="otto"))
    assert [item.text for item in world.process.open_memories("ada").recall("tea")] == [TEA]
    assert other.process.open_memories("ada").recall("tea") == ()
    assert other.process.open_memories("ada").days() == ()
