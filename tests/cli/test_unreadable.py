"""Lists of which a part cannot be read (records/local_records.py, records/remote_records.py)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from entracte.adapters.sqlite.store import SqliteStore
from entracte.cli.records.local_records import runtime_on
from entracte.core.addresses import run_path
from entracte.core.runs.starting import RunRequest
from entracte.ports.store import Update
from tests.cli.conftest import Done

Call = Callable[..., Done]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store with three runs, of which somebody has edited the latest two out of shape."""
    store = SqliteStore(str(tmp_path / "kept.db"))
    runs = runtime_on(store).runs
    for message in ("a", "b", "c"):
        runs.start(RunRequest(input={"message": message}), owner="local")
    for run in runs.list(owner="local").items[:2]:
        path = run_path(run.id)
        store.commit([Update(path, {"limits": "many"}, store.load((path,))[path].version)])
    yield store
    store.close()


@pytest.mark.parametrize("limit", ["1", "20"])
def test_runs_that_cannot_be_read_are_left_out_of_the_list_and_told_of(call: Call, at: tuple[str, ...], limit: str):
    """A page on which none can be read is no end: here the list goes on behind it."""
    done = call("list", "--json", "--limit", limit, *at)
    assert (done.code, "list_left_out " in done.err) == (0, True)
    if limit == "20" or "--store" in at:
        assert [run["input"]["message"] for run in json.loads(done.out)["runs"]] == ["a"]
