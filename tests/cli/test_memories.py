"""What is remembered of oneself, on the command line (commands/memories.py)."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from entracte.adapters.sqlite.store import SqliteStore
from entracte.cli.records.local_records import runtime_on
from tests.cli.conftest import Done, Shell
from tests.cli.terminal import on_terminal

Call = Callable[..., Done]


@pytest.fixture
def ids(call: Call) -> list[str]:
    """Two things are remembered of whoever runs the command; their ids, the latest first."""
    store = SqliteStore("kept.db")
    memories = runtime_on(store).open_memories("local")
    made = []
    for text in ("Tea.", "Trains."):
        made.append(memories.remember(key=text, text=text, day="2026-01-01", tags=["taste"]))
        while datetime.now(UTC) - made[-1].created < timedelta(milliseconds=1):
            pass  # what is made in the same millisecond has no order
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
    assert call("memories", "forget", "--all", "--yes", *at).err == "Memories forgotten: 1.\n"
    assert call("memories", "list", *at).err == "Nothing is remembered.\n"


def test_what_is_to_be_forgotten_is_said(call: Call, ids: list[str]):
    """One, or all: nothing is guessed."""
    for arguments in ((), (ids[0], "--all")):
        done = call("memories", "forget", *arguments, "--store", "kept.db")
        assert (done.code, done.err.splitlines()[0]) == (2, "error: Say what is to be forgotten.")


def test_an_export_goes_into_the_file_that_is_named_and_with_json_to_standard_output_too(call: Call, ids: list[str]):
    """Where none is named, JSON goes to standard output alone."""
    done = call("memories", "export", "mine.json", "--json", "--store", "kept.db")
    assert [item["id"] for item in json.loads(done.out)["memories"]] == ids
    assert json.loads(Path("mine.json").read_text("utf-8")) == json.loads(done.out)
    assert call("memories", "export", "--json", "--store", "kept.db") == done
    assert not Path("memories.json").exists()


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_where_nobody_can_be_asked_not_everything_is_forgotten(call: Call, ids: list[str], more: tuple[str, ...]):
    """A script says that it means it."""
    done = call("memories", "forget", "--all", "--store", "kept.db", *more)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --all deletes everything that is remembered, for good, and nobody can be asked")
    assert "\n  Give --yes to do it. " in done.err
    assert len(json.loads(call("memories", "list", "--json", "--store", "kept.db").out)["memories"]) == 2


@pytest.mark.parametrize(
    ("typed", "code", "told"), [("y\n", 0, "Memories forgotten: 2."), ("\n", 1, "Nothing was forgotten.")]
)
def test_whoever_is_at_the_keyboard_is_asked_first(shell: Shell, ids: list[str], typed: str, code: int, told: str):
    """Only yes is yes."""
    seen = on_terminal(shell, "memories", "forget", "--all", "--store", "kept.db", typed=typed)
    asked, said = seen.text.split(" [y/N] ", 1)
    assert asked == "Forget everything that is remembered of you, for good?"
    assert (seen.code, said.splitlines()[-1]) == (code, told)
