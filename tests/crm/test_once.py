"""Changes that are made once (once.py)."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import pytest

from crm import customers, database
from crm.database import dump, open_database, reading
from crm.deps import Crm
from crm.once import once, times_asked
from crm.records import Customer
from entracte.errors import ToolError


def note(id: int, text: str) -> Callable[[sqlite3.Connection], Customer]:
    """A change that is not the same when it is made twice: it adds to a note."""

    def add(connection: sqlite3.Connection) -> Customer:
        return customers.update(connection, id, {"notes": customers.get(connection, id).notes + text})

    return add


def test_a_repeated_key_gives_the_first_result_and_changes_nothing(crm: Crm):
    """Also when others changed the record in between; and the table tells how often it was asked for."""
    first = once(crm.database, "run.1.0", "note", {"id": 108}, note(108, "a"), Customer)
    once(crm.database, "run.1.1", "note", {"id": 108, "more": 1}, note(108, "b"), Customer)
    before = dump(crm.database)
    again = once(crm.database, "run.1.0", "note", {"id": 108}, note(108, "a"), Customer)
    assert again == first
    assert dump(crm.database) == before
    assert times_asked(crm.database) == {"run.1.0": 2, "run.1.1": 1}


def test_a_key_that_belongs_to_another_call_is_refused(crm: Crm):
    """Giving the other call's result would be a lie."""
    once(crm.database, "key", "note", {"id": 108}, note(108, "a"), Customer)
    before = dump(crm.database)
    for tool, arguments in [("note", {"id": 17}), ("delete_customer", {"id": 108})]:
        with pytest.raises(ToolError, match="belongs to another call: note with"):
            once(crm.database, "key", tool, arguments, note(17, "b"), Customer)
    assert dump(crm.database) == before
    assert times_asked(crm.database) == {"key": 1}


def test_a_change_that_failed_may_be_tried_again(crm: Crm):
    """It did nothing, so its key is free."""
    with pytest.raises(ToolError, match="not found"):
        once(crm.database, "key", "note", {"id": 501}, note(501, "a"), Customer)
    assert times_asked(crm.database) == {}
    assert once(crm.database, "key", "note", {"id": 17}, note(17, "!"), Customer).notes.endswith("!")


def test_threads_with_one_key_make_one_change(crm: Crm):
    """A delivery may come several times at once."""
    with ThreadPoolExecutor(8) as threads:
        results = list(
            threads.map(lambda _: once(crm.database, "key", "note", {}, note(431, "+"), Customer), range(24))
        )
    assert {result.notes for result in results} == {"Came in twice with the list from the fair; same person as 108.+"}
    assert times_asked(crm.database) == {"key": 24}


def append_each(path: Path, writer: int) -> None:
    """Add ten notes to one record, each in its own call."""
    for index in range(10):
        once(path, f"{writer}.{index}", "note", {}, note(108, f"[{writer}.{index}]"), Customer)


def test_writers_at_once_lose_nothing(crm: Crm):
    """Each change reads before it writes, so a lock taken too late would show as a lost note."""
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(partial(append_each, crm.database), range(4)))
    with reading(crm.database) as connection:
        notes = customers.get(connection, 108).notes
    assert sorted(notes.strip("[]").split("][")) == sorted(f"{w}.{i}" for w in range(4) for i in range(10))


def test_processes_write_into_one_database(crm: Crm):
    """Six calls with three keys, in three processes, add three customers."""
    fields = {
        "id": None,
        "name": "Hedy",
        "email": "h@e.example",
        "plan": "Pro",
        "since": "2026-01-01",
        "country": "",
        "notes": "",
    }
    keys = ["a", "b", "c"] * 2
    create = partial(customers.create, fields=fields)
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as processes:
        results = list(
            processes.map(
                once,
                repeat(crm.database),
                keys,
                repeat("create_customer"),
                repeat(fields),
                repeat(create),
                repeat(Customer),
            )
        )
    assert {customer.id for customer in results} == {501, 502, 503}
    assert times_asked(crm.database) == {"a": 2, "b": 2, "c": 2}


def test_a_database_that_stays_busy_is_a_call_that_did_nothing(crm: Crm, monkeypatch: pytest.MonkeyPatch):
    """So it may be called again, rather than be in doubt."""
    monkeypatch.setattr(database, "BUSY_S", 0.0)
    other = open_database(crm.database)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ToolError, match="busy"):
        once(crm.database, "key", "note", {}, note(17, "a"), Customer)
    other.close()
    assert times_asked(crm.database) == {}


def test_a_reader_does_not_stop_a_writer(crm: Crm, monkeypatch: pytest.MonkeyPatch):
    """A search in the middle of somebody's change goes on seeing the records of its moment."""
    monkeypatch.setattr(database, "BUSY_S", 0.0)
    with reading(crm.database) as connection:
        before = customers.get(connection, 17)
        after = once(crm.database, "key", "note", {}, note(17, "!"), Customer)
        assert customers.get(connection, 17) == before != after
