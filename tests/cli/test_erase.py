"""Erasing somebody on the command line (commands/erase.py)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from entracte.adapters.sqlite.store import SqliteStore
from entracte.cli.records.local_records import runtime_on
from tests.cli.conftest import Done

Call = Callable[..., Done]

OWNER = "ada@example.com"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store in which something is remembered of Ada, and something of whoever runs the commands."""
    store = SqliteStore(str(tmp_path / "kept.db"))
    for owner in (OWNER, "local"):
        runtime_on(store).open_memories(owner).remember(key="k", text="Likes tea.")
    yield store
    store.close()


def test_somebody_is_erased_after_a_look_at_what_that_means(call: Call, at: tuple[str, ...]):
    """Nothing goes without --yes; what stays in any case is said."""
    looked = call("erase", OWNER, *at)
    assert looked.out.splitlines() == [
        f"Kept of {OWNER}: 2 documents.",
        "  memories             1",
        "  indexes of memories  1",
    ]
    assert looked.err.splitlines()[0].startswith("Not touched: what runs did in other systems")
    assert "Nothing was deleted. To do it: " in looked.err
    assert f"erase {OWNER} --yes" in looked.err.splitlines()[-1]
    assert json.loads(call("erase", OWNER, "--yes", "--json", *at).out)["counts"] == {"items": 1, "memories": 1}
    assert call("erase", OWNER, *at).err == f"Nothing is kept of {OWNER}.\n"
    assert call("erase", OWNER, "--yes", *at).err == f"Nothing is kept of {OWNER}.\n"
    assert "Likes tea." in call("memories", "list", *at).out


def test_what_was_deleted_is_said(call: Call, store: SqliteStore):
    """In the same words."""
    done = call("erase", OWNER, "--yes", "--store", "kept.db")
    assert (done.code, done.out.splitlines()[0]) == (0, f"Deleted of {OWNER}: 2 documents.")
    assert "To do it" not in done.err


def test_whoever_has_an_open_run_is_not_erased(call: Call):
    """The look says so too, with the command that cancels it."""
    run = json.loads(call("run", "--network", "stock:network", "--json", "ship").out)
    looked = call("erase", "local")
    assert run["status"] == "waiting"
    assert f"cancel {run['id']}" in looked.err
    refused = call("erase", "local", "--yes")
    assert (refused.code, run["id"] in refused.err) == (1, True)
    call("cancel", run["id"])
    assert call("erase", "local", "--yes").code == 0
    assert call("list").err == "No runs.\n"
