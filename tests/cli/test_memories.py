"""What is remembered of oneself, on the command line (commands/memories.py)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from entracte.adapters.sqlite.store import SqliteStore
from entracte.cli.records.local_records import runtime_on
from tests.cli.conftest import Done

Call = Callable[..., Done]


@pytest.fixture
def ids(call: Call) -> list[str]:
    """Two things are remembered of whoever runs the command; their ids, the latest first."""
    store = SqliteStore("kept.db")
    memories = runtime_on(store).open_memories("local")
    made = [memories.remember(key=text, text=text, day="2026-01-01", tags=["taste"]) for text in ("Tea.", "Trains.")]
    store.close()
    return [item.id for item in reversed(made)]


def test_memories_are_listed_shown_exported_and_forgotten(call: Call, ids: list[str]):
    """Every one of them is the owner's to delete."""
    at = ("--store", "kept.db")
    assert call("memories", "list", *at).out.splitlines() == [
        "memory          date        category  text",
        f"{ids[0]}  2026-01-01  other     Trains. [taste]",
        f"{ids[1]}  2026-01-01  other     Tea. [taste]",
    ]
    assert call("memories", "show", ids[1], *at).out == "Tea.\n"
    assert call("memories", "export", "mine.json", *at).err == "Memories written to mine.json: 2.\n"
    assert [item["text"] for item in json.loads(Path("mine.json").read_text())["memories"]] == ["Trains.", "Tea."]
    assert call("memories", "forget", ids[0], *at).err == f"{ids[0]} forgotten.\n"
    assert call("memories", "forget", "--all", *at).err == "Memories forgotten: 1.\n"
    assert call("memories", "list", *at).err == "Nothing is remembered.\n"


def test_what_is_to_be_forgotten_is_said(call: Call, ids: list[str]):
    """One, or all: nothing is guessed."""
    for arguments in ((), (ids[0], "--all")):
        done = call("memories", "forget", *arguments, "--store", "kept.db")
        assert (done.code, done.err.splitlines()[0]) == (2, "error: Say what is to be forgotten.")
