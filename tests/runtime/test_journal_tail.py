"""Each event once and in order, whatever is committed when (runtime/watching/journal_tail.py)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from entracte.adapters.memory.store import MemoryStore
from entracte.core.addresses import entry_path
from entracte.core.documents.journal import Entry
from entracte.core.events import record
from entracte.ports.store import Create, Update
from entracte.runtime.engine.repository import Repository
from entracte.runtime.watching import journal_tail
from entracte.runtime.watching.journal_tail import LATE, START, JournalTail

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def entry(name, *, at_ms=0, events=1):
    """An entry whose events tell its name and their number."""
    told = tuple(record("thought", text=f"{name}.{n}") for n in range(events))
    at = NOON + timedelta(milliseconds=at_ms)
    return Entry(id=name, run="r", frame="r", owner="ada", agent="desk", step=1, phase="plan", at=at, events=told)


def write(store, *entries):
    """Commit entries together."""
    store.commit([Create(entry_path("r", one.id), one.encoded()) for one in entries])


def texts(told):
    """What the events tell."""
    return [event.data["text"] for _, event in told]


def test_an_entry_that_becomes_visible_late_is_told_in_its_place_among_the_commits(store):
    """Its time lies before what was told already: a cursor over times would pass over it."""
    tail = JournalTail(Repository(store), "r")
    write(store, entry("b", at_ms=500))
    assert texts(tail.read()) == ["b.0"]
    write(store, entry("a", at_ms=100))
    write(store, entry("c", at_ms=600))
    assert texts(tail.read()) == ["a.0", "c.0"]
    assert tail.read(thorough=True) == []


def test_what_comes_much_later_than_its_time_is_found_with_the_next_or_by_a_thorough_look(store):
    """A quick look goes back two seconds, a thorough one two minutes."""
    tail = JournalTail(Repository(store), "r")
    write(store, entry("b", at_ms=100_000))
    tail.read()
    write(store, entry("a", at_ms=5_000))
    assert texts(tail.read()) == []
    assert texts(tail.read(thorough=True)) == ["a.0"]
    write(store, entry("d", at_ms=6_000))
    write(store, entry("c", at_ms=100_001))
    assert texts(tail.read()) == ["d.0", "c.0"]


def test_a_reader_goes_on_within_an_entry(store):
    """A stream may break between two events of one commit, or of two entries of one commit."""
    write(store, entry("a", events=3), entry("b", events=2))
    write(store, entry("c"))
    whole = JournalTail(Repository(store), "r").read()
    assert texts(whole) == ["a.0", "a.1", "a.2", "b.0", "b.1", "c.0"]
    for cut, (place, _) in enumerate(whole, 1):
        assert texts(JournalTail(Repository(store), "r", place).read()) == texts(whole)[cut:]


def test_entries_without_events_are_passed(store):
    """A reply that came too late is journaled for its cost alone."""
    tail = JournalTail(Repository(store), "r")
    write(store, entry("a", events=0))
    assert tail.read() == []
    write(store, entry("b"))
    assert texts(tail.read()) == ["b.0"]


def test_what_is_committed_at_once_is_told_once_and_in_the_order_of_the_commits(store):
    """Four writers whose times lag behind, and a reader that is replaced after each look."""

    def work(writer):
        for n in range(12):
            write(store, entry(f"w{writer}.{n}", at_ms=1000 * n - 700 * writer, events=2))

    told, place = [], START
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(work, writer) for writer in range(4)]
        while True:
            over = all(writer.done() for writer in writers)
            found = JournalTail(Repository(store), "r", place).read(thorough=over)
            told += texts(found)
            place = found[-1][0] if found else place
            if over and not found:
                break
    assert all(writer.exception() is None for writer in writers)
    assert told == [f"{e['id']}.{k}" for e in _by_commit(store) for k in range(2)]


@pytest.mark.parametrize("query", [1, 2, 3])
def test_what_is_committed_between_two_pages_is_told_in_its_turn(query, monkeypatch):
    """A later page may show a commit whose predecessor would have been on an earlier one."""
    monkeypatch.setattr(journal_tail, "PAGE", 2)

    class Moving:
        def __init__(self, store):
            self.store, self.queries = store, 0

        def __getattr__(self, name):
            return getattr(self.store, name)

        def query(self, asked):
            found = self.store.query(asked)
            self.queries += 1
            if self.queries == query:
                write(self.store, entry("late", at_ms=5))
                write(self.store, entry("newest", at_ms=30))
            return found

    store = MemoryStore()
    for n in range(3):
        write(store, entry(f"e{n}", at_ms=10 * n))
    tail, told = JournalTail(Repository(Moving(store)), "r"), []
    while found := tail.read():
        told += texts(found)
    assert told == ["e0.0", "e1.0", "e2.0", "late.0", "newest.0"]


def test_a_long_journal_is_read_in_parts_and_nothing_is_left_out(store, monkeypatch):
    """More entries than a page holds, committed in another order than that of their times."""
    monkeypatch.setattr(journal_tail, "PAGE", 7)
    order = [(n * 37) % 100 for n in range(100)]
    for n in order:
        write(store, entry(f"e{n:03d}", at_ms=n))
    tail, told = JournalTail(Repository(store), "r"), []
    while found := tail.read():
        told += texts(found)
    assert told == [f"e{n:03d}.0" for n in order]


def test_an_entry_that_cannot_be_read_hides_none_behind_it(store, monkeypatch):
    """Somebody has edited it by hand; what else is on its page, and on the next, is told."""
    monkeypatch.setattr(journal_tail, "PAGE", 3)
    order = [5, 0, 7, 1, 6, 2, 4, 3]
    for n in order:
        write(store, entry(f"e{n}", at_ms=n))
    path = entry_path("r", "e1")
    store.commit([Update(path, {"step": "one"}, store.load([path])[path].version)])
    tail, told = JournalTail(Repository(store), "r"), []
    while found := tail.read(thorough=True):
        told += texts(found)
    assert told == [f"e{n}.0" for n in order if n != 1]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_number_of_cuts_between_any_commits_loses_and_repeats_nothing(data):
    """Readers come and go while entries are committed with times that lag behind, in pages of any size."""
    store, told, place, written = MemoryStore(), [], START, []
    page = data.draw(st.integers(1, 6))
    before, journal_tail.PAGE = journal_tail.PAGE, page
    try:
        for n in range(data.draw(st.integers(1, 25))):
            lag = data.draw(st.integers(0, int(LATE.total_seconds() * 1000)))
            write(store, entry(f"e{n}", at_ms=1000 * n - lag + 200_000, events=data.draw(st.integers(0, 3))))
            written.append(n)
            if data.draw(st.booleans()):
                found = JournalTail(Repository(store), "r", place).read(thorough=True)
                cut = data.draw(st.integers(0, len(found)))  # the client is gone before the rest arrives
                told += texts(found[:cut])
                place = found[cut - 1][0] if cut else place
        while found := JournalTail(Repository(store), "r", place).read(thorough=True):
            told += texts(found)
            place = found[-1][0]
    finally:
        journal_tail.PAGE = before
    everything = [f"{e['id']}.{k}" for e in _by_commit(store) for k in range(len(e["events"]))]
    assert told == everything


def _by_commit(store):
    from entracte.ports.store import Query

    found = store.query(Query(collection="journal", limit=1000))
    return [doc.fields for doc in sorted(found, key=lambda doc: doc.version)]
