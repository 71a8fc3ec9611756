"""Artifacts in every store (runtime/services/shelf.py)."""

from collections.abc import Sequence

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.core.addresses import memory_path
from entracte.core.artifacts.record import record_of
from entracte.core.memory.record import record_of as memory_record
from entracte.core.memory.spec import MemorySpec
from entracte.errors import AmbiguousCommit, Conflict, InvalidInput, NotFound, RetryableError, StoreUnavailable
from entracte.ports.store import Store, Update
from entracte.runtime.engine.repository import Repository
from entracte.runtime.services.memories import StoredMemories
from entracte.runtime.services.racing import MAX_RACES
from entracte.runtime.services.shelf import StoredShelf
from entracte.testing.clock import FakeClock
from entracte.toolbox.nothing_done import nothing_done


def shelf_on(store: Store, clock: FakeClock | None = None) -> StoredShelf:
    """The shelf of one session."""
    return StoredShelf(Repository(store), clock or FakeClock(), lambda race: None, session="s", owner="ada@example.com")


class Unreliable(MemoryStore):
    """A store whose next commits end so: well, with an answer that is lost, or not at all.

    Attributes:
        deaf: After an answer was lost, nothing can be read any more.
    """

    ends: Sequence[str] = ()
    deaf = False
    is_gone = False

    def commit(self, writes):
        end, *self.ends = [*self.ends] or ["well"]
        if end == "down":
            raise StoreUnavailable("Nobody there.")
        versions = super().commit(writes)
        if end == "lost":
            self.is_gone = self.deaf
            raise AmbiguousCommit("No answer.")
        return versions

    def load(self, paths):
        if self.is_gone:
            raise StoreUnavailable("Nobody there.")
        return super().load(paths)


def memories_on(store: Store) -> StoredMemories:
    """What is remembered of one owner."""
    return StoredMemories(Repository(store), FakeClock(), lambda race: None, owner="ada", spec=MemorySpec())


def test_papers_are_made_listed_changed_deleted_and_put_back(store: Store):
    """Small and large ones, own and shared ones, in the order of their changes, to the last character."""
    clock = FakeClock()
    shelf = shelf_on(store, clock)
    small = shelf.create(key="1", title="Small", text="é\r\n", tags=["x"])
    clock.advance(seconds=1)
    large = shelf.create(key="2", title="Large", text="漢" * 400_000, shared=True)
    assert [(a.title, a.is_whole) for a in shelf.list()] == [("Large", False), ("Small", True)]
    assert shelf.get("larg") == large.evolve(rev=1)
    assert shelf.create(key="1", title="Small", text="é\r\n") == small.evolve(rev=1)
    clock.advance(seconds=1)
    shelf.change("Small", lambda a: a.changed(title="Smaller", active=False), key="3")
    assert [a.title for a in shelf.list()] == ["Smaller", "Large"]
    assert [a.title for a in shelf.list(active=True)] == ["Large"]
    before = record_of(shelf.get("Large"))
    shelf.delete("Large", version=before["version"])
    assert [a.title for a in shelf.list()] == ["Smaller"]
    shelf.put_back(before)
    assert record_of(shelf.get("Large")) == before


def test_a_version_that_has_passed_is_a_conflict():
    """Whoever writes says what they have seen, and writes over nothing else."""
    shelf = shelf_on(MemoryStore())
    seen = shelf.create(key="1", title="A", text="a").version
    shelf.change("A", lambda a: a.changed(text="b"), key="2", version=seen)
    with pytest.raises(Conflict, match="has changed"):
        shelf.change("A", lambda a: a.changed(text="c"), key="3", version=seen)
    with pytest.raises(Conflict, match="has changed"):
        shelf.delete("A", version=seen)
    assert shelf.get("A").text == "b"


def test_a_change_whose_answer_was_lost_is_found_and_not_made_again():
    """By the key that it was written with."""
    store = Unreliable()
    shelf = shelf_on(store)
    shelf.create(key="1", title="A", text="a")
    store.ends = ["lost"]
    assert shelf.change("A", lambda a: a.changed(text=a.text + "b"), key="2").text == "ab"
    assert shelf.change("A", lambda a: a.changed(text=a.text + "b"), key="2").text == "ab"
    store.ends = ["lost"]
    assert shelf.create(key="3", title="B", text="b").title == "B"
    assert {a.title for a in shelf.list()} == {"A", "B"}


@pytest.mark.parametrize(
    "odd",
    [
        {"id": "a/artifacts/b"},
        {"id": "a"},
        {"type": "evil"},
        {"active": 1},
        {"content": 7},
        {"title": None},
        {"tags": 3},
    ],
)
def test_a_record_that_somebody_has_written_is_refused_unless_it_is_one(odd):
    """It may come out of a file: it names no other place, and what it makes can be read again."""
    shelf = shelf_on(MemoryStore())
    record = record_of(shelf.create(key="1", title="A", text="a", tags=["x"]))
    with pytest.raises(InvalidInput, match="No record of an artifact"):
        shelf.put_back(record | odd)
    assert [record_of(artifact) for artifact in shelf.list()] == [record]


@pytest.mark.parametrize("odd", [{"id": "a/items/b"}, {"id": "a"}, {"text": ""}, {"created": "yesterday"}, {"tags": 3}])
def test_a_record_of_a_memory_is_refused_unless_it_is_one(odd):
    """As one of an artifact is."""
    memories = memories_on(MemoryStore())
    record = memory_record(memories.remember(key="1", text="Ada drinks tea."))
    with pytest.raises(InvalidInput):
        memories.put_back(record | odd)


@pytest.mark.parametrize("ends", [["lost"], ["well", "down"], ["well", "lost"]])
def test_a_deletion_of_which_the_answer_was_lost_is_one(ends):
    """Whether it was of the claim or of the removal: to say that nothing was done would keep undo from it."""
    store = Unreliable()
    shelf = shelf_on(store)
    artifact = shelf.create(key="1", title="A", text="a")
    store.ends = ends
    assert shelf.delete("A").text == "a"
    with pytest.raises(NotFound):
        shelf.get(artifact.id)


def test_a_memory_is_forgotten_though_the_answer_was_lost():
    """As a deletion is."""
    store = Unreliable()
    memories = memories_on(store)
    item = memories.remember(key="1", text="Ada drinks tea.")
    store.ends = ["lost"]
    assert memories.forget(item.id).text == "Ada drinks tea."
    assert memories.days() == ()


def test_everything_is_forgotten_be_it_such_as_cannot_be_read():
    """A newer version has written it, or somebody by hand: it must not keep its owner from having it deleted."""
    store = MemoryStore()
    memories = memories_on(store)
    odd, _ = (memories.remember(key=text, text=text) for text in ("Ada drinks tea.", "Ada has a cat."))
    path = memory_path("ada", odd.id)
    store.commit([Update(path, {"category": "yet to come"}, store.load((path,))[path].version)])
    assert memories.forget_all() == 2
    assert (store.load((path,)), memories.recall("")) == ({}, ())


def test_nobody_says_that_nothing_was_written_who_does_not_know():
    """The answer of a write was lost, and what is there cannot be read: the tool must not say that it did nothing."""
    store = Unreliable()
    shelf, memories = shelf_on(store), memories_on(store)
    shelf.create(key="1", title="A", text="a")
    item = memories.remember(key="1", text="Ada drinks tea.")
    store.deaf = True
    for write in (
        lambda: shelf.create(key="2", title="B", text="b"),
        lambda: memories.remember(key="2", text="Ada has a cat."),
        lambda: memories.forget(item.id),
    ):
        store.is_gone, store.ends = False, ["lost"]
        with pytest.raises(AmbiguousCommit), nothing_done():
            write()
    store.is_gone, store.deaf, store.ends = False, False, ["lost"] * MAX_RACES
    with pytest.raises(AmbiguousCommit), nothing_done():
        shelf.put_back(record_of(shelf.get("A")))


def test_writers_who_race_lose_nothing_or_say_so():
    """A change is made to what is there by then; who loses every race is told to come again."""
    store = MemoryStore()
    first, second = shelf_on(store), shelf_on(store)
    first.create(key="1", title="A", text="")
    races = iter(range(100))

    def after_another(artifact, *, times):
        if next(races) < times:
            second.change("A", lambda a: a.changed(text=a.text + "x"), key=f"other {artifact.text}")
        return artifact.changed(text=artifact.text + "y")

    assert first.change("A", lambda a: after_another(a, times=3), key="2").text == "xxxy"
    races = iter(range(100))
    with pytest.raises(RetryableError, match=f"Lost {MAX_RACES} races"):
        first.change("A", lambda a: after_another(a, times=100), key="3")
    assert "y" not in first.get("A").text.removeprefix("xxxy")


def test_what_is_deleted_is_nowhere():
    """Neither listed nor found, by whatever name; and deleting it again says so."""
    shelf = shelf_on(MemoryStore())
    artifact = shelf.create(key="1", title="A", text="a")
    shelf.delete("A")
    for reference in ("A", artifact.id):
        with pytest.raises(NotFound, match="There is no artifact"):
            shelf.get(reference)
        with pytest.raises(NotFound, match="There is no artifact"):
            shelf.delete(reference)
