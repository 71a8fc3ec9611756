"""What is remembered enters the context at a run's start (core/memory, runtime/services/memories.py)."""

from __future__ import annotations

import pytest

from entracte.agents import Agent, tool
from entracte.core.memory.words import terms_of
from entracte.core.vector import DIMENSIONS, Vector
from entracte.errors import Conflict, NotFound
from entracte.ports.store import Store
from tests.runtime.script import calls
from tests.toolbox.memory_scene import Meaning, Remembering, a_world

TEA, TRAIN, CAT = "Ada drinks tea without sugar.", "Ada travels by train.", "Her cat is called Byron."


def remember(world, *texts, category="other", owner="ada", **fields):
    """Put memories there, a second apart."""
    memories = world.process.open_memories(owner)
    for text in texts:
        memories.remember(key=text, text=text, category=category, **fields)
        world.clock.advance(seconds=1)
    return memories


def texts(items):
    """What they say."""
    return [item.text for item in items]


def test_the_nearest_in_meaning_is_recalled_in_every_store(store: Store):
    """Without a word in common, and of its owner only."""
    world = a_world(Remembering(), embedder=Meaning(), store=store)
    memories = remember(world, TEA, TRAIN, CAT)
    remember(world, "Bob keeps tea in a tin.", owner="bob")
    assert texts(memories.recall("Which beverage?", limit=1)) == [TEA]
    assert texts(memories.recall("a kitten, a kitten on a railway")) == [CAT, TRAIN]
    assert texts(memories.recall("money")) == []


def test_categories_days_and_words_find_memories_in_every_store(store: Store):
    """Without an embedding model, words do."""
    world = a_world(Remembering(), store=store)
    memories = remember(world, TEA, category="preference", tags=["drinks"])
    world.clock.advance(days=1)
    remember(world, TRAIN, CAT, category="personal")
    assert texts(memories.recall("Does Ada like trains, or sugar?")) == [TRAIN, TEA]
    assert texts(memories.recall("Ada", category="personal")) == [TRAIN]
    assert texts(memories.recall("", limit=2)) == [CAT, TRAIN]
    assert [(day.day, day.count) for day in memories.days()] == [("2026-01-02", 2), ("2026-01-01", 1)]
    assert texts(memories.of_day("2026-01-02")) == [TRAIN, CAT]
    gone = memories.forget(memories.of_day("2026-01-01")[0].id)
    assert [(day.day, day.count) for day in memories.days()] == [("2026-01-02", 2)]
    assert texts(memories.recall("sugar")) == []
    with pytest.raises(NotFound, match="There is no memory"):
        memories.forget(gone.id)


def test_a_memory_is_made_once_for_its_key():
    """However often its call is repeated."""
    world = a_world(Remembering())
    memories = world.process.open_memories("ada")
    first = memories.remember(key="k", text=TEA)
    assert memories.remember(key="k", text="something else") == first.evolve(rev=1)
    assert sum(day.count for day in memories.days()) == 1


def test_more_than_a_network_allows_is_refused():
    """With what to do about it."""
    world = a_world(Remembering(), memory=_small())
    memories = remember(world, TEA)
    with pytest.raises(Conflict, match="Forget some first") as caught:
        memories.remember(key="2", text=TRAIN)
    assert caught.value.code == "memory_full"


def _small():
    from entracte.agents import Memory

    return Memory(max_items=1)


@pytest.mark.parametrize("light", [False, True])
def test_what_may_matter_is_shown_in_every_step_of_the_run(light):
    """Looked up once, so that it stays the same while the run goes on."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    model, meaning = Remembering([calls(("look", {})), "done"]), Meaning()
    world = a_world(model, look, embedder=meaning, light=light)
    memories = remember(world, TEA, TRAIN)
    meaning.asked.clear()
    world.ask("Make me my usual beverage.")
    shown = [request.part("memories").splitlines()[1:] for request in model.requests if request.purpose != "judge"]
    (item,) = memories.recall("tea", limit=1)
    assert shown == [[f"{item.id} (other, 2026-01-01): {TEA}"]] * len(shown)
    assert len(shown) >= 2
    assert meaning.asked[0] == "Make me my usual beverage."
    assert "Long-term memory is on." in model.requests[0].part("status")


def test_preferences_and_settings_are_shown_whatever_is_asked():
    """How somebody wants to be answered is in no question."""
    model = Remembering()
    world = a_world(model, embedder=Meaning())
    remember(world, "Ada wants short answers.", category="preference")
    remember(world, CAT)
    world.ask("When does the train leave?")
    assert model.requests[0].part("memories").splitlines()[1:] == [
        f"{world.process.open_memories('ada').recall('', category='preference')[0].id} (preference, 2026-01-01): "
        "Ada wants short answers."
    ]


def test_no_more_is_shown_than_the_network_wants():
    """Context is dear."""
    from entracte.agents import Memory

    model = Remembering()
    world = a_world(model, memory=Memory(shown=3))
    remember(world, *(f"Ada has a cat, number {n}." for n in range(9)))
    world.ask("How many cats has Ada?")
    assert len(model.requests[0].part("memories").splitlines()) == 1 + 3


def test_an_embedding_model_that_is_down_delays_nothing():
    """Words do, and what is written meanwhile is found by them."""
    model = Remembering()
    world = a_world(model, embedder=Meaning(down=True))
    remember(world, TEA, TRAIN)
    assert world.ask("sugar?").status == "succeeded"
    assert TEA in model.requests[0].part("memories")


def test_nobody_is_shown_what_is_remembered_of_others():
    """Not even in the same session."""
    model = Remembering()
    world = a_world(model)
    remember(world, TEA, owner="eve")
    world.ask("tea?")
    assert model.requests[0].part("memories") == ""


def test_sub_agents_are_shown_none_of_it():
    """They have their own context, what they are asked; and nothing is looked up for them."""
    meaning = Meaning()
    clerk = Agent(name="clerk", prompt="You file.", light=True)
    model = Remembering()
    model._plans = {"desk": [calls(("clerk", {"message": "tea?"})), "done"], "clerk": ["filed"]}
    world = a_world(model, agents=[clerk], embedder=meaning)
    remember(world, TEA)
    world.ask("tea?")
    assert meaning.asked == [TEA, "tea?"]
    assert model.asked("plan", "clerk")[0].part("memories") == ""
    assert TEA in model.asked("plan", "desk")[0].part("memories")


def test_of_a_long_message_the_beginning_is_looked_up():
    """Embedding models take so much and no more."""
    meaning = Meaning()
    world = a_world(Remembering(), embedder=meaning)
    world.ask("tea " * 10_000)
    assert [len(text) for text in meaning.asked] == [4000]


def test_a_run_that_begins_twice_is_shown_the_same():
    """What is written meanwhile is for the next one."""
    model = Remembering()
    world = a_world(model)
    remember(world, TEA)
    run = world.start("tea?")
    message = world.bus.waiting[0]
    world.deliver(world.bus.waiting.pop(0))
    remember(world, "Tea is for mornings.")
    world.deliver(message)
    world.settle()
    assert world.run(run.id).status == "succeeded"
    assert all("mornings" not in request.part("memories") for request in model.asked("plan"))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The cats, and THE Cat!", {"cat"}),
        ("id 7", {"7"}),
        ("Größe", {"grösse"}),
        ("お茶が好き", {"お茶", "茶が", "が好", "好き"}),
        ("…", set()),
    ],
)
def test_words_are_compared_in_small_letters_and_unspaced_ones_by_pairs(text, terms):
    """In any language."""
    assert terms_of(text) == terms


def test_vectors_of_every_model_fit_the_index():
    """Shorter ones are filled up, which changes no angle; longer ones are cut."""
    a, b = [3.0, 4.0], [4.0, 3.0]
    fitted = [Vector.fitted(values) for values in (a, b)]
    assert all(vector is not None and len(vector.values) == DIMENSIONS for vector in fitted)
    assert fitted[0].likeness(fitted[1]) == pytest.approx(24 / 25)
    assert len(Vector.fitted([0.1] * 3072).values) == DIMENSIONS
    assert [Vector.fitted(values) for values in ([], [0.0, 0.0], [float("inf")])] == [None, None, None]
