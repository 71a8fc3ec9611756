"""Retry, resume and fork (commands/retry.py, resume.py, fork.py, runs/going_on.py)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from entracte.cli.runs.going_on import read_changes
from entracte.errors import InvalidInput
from tests.cli.conftest import Done

Call = Callable[..., Done]
STOCK = ("--network", "stock:network")


def test_a_failed_run_is_retried(call: Call, monkeypatch: pytest.MonkeyPatch):
    """What was wrong has been mended meanwhile; the answer comes as that of a run does."""
    monkeypatch.setenv("ENTRACTE_MODEL", "scripted/replies.yaml")
    assert call("run", "hello", *STOCK).code == 1
    Path("replies.yaml").write_text("version: 1\nreplies:\n  - reply: {answer: Here I am.}\n")
    done = call("retry", *STOCK)
    assert (done.code, done.out) == (0, "Here I am.\n")
    assert "goes on: it is retried" in done.err
    again = call("retry", *STOCK)
    assert (again.code, "is succeeded, not failed" in again.err) == (1, True)


def test_a_run_that_has_not_stalled_is_not_resumed(call: Call):
    """It says what to do instead."""
    call("run", "hello", *STOCK)
    done = call("resume", *STOCK)
    assert (done.code, done.err.splitlines()[-2:]) == (
        1,
        [done.err.splitlines()[-2], "  Nothing needs to be resumed."],
    )


def test_a_fork_makes_only_the_calls_from_its_step_on(call: Call):
    """The first step's put is not made again: the file shows who wrote last."""
    call("run", "set twice", *STOCK)
    Path("stock.json").write_text(json.dumps({"tea": 100, "salt": 100}))
    done = call("fork", "--at", "2", *STOCK, "--json")
    run = json.loads(done.out)
    assert (done.code, run["status"], run["forked_from"]["step"]) == (0, "succeeded", 2)
    assert json.loads(Path("stock.json").read_text()) == {"tea": 7, "salt": 1}
    assert call("undo", run["id"], "--yes", *STOCK).code == 0
    assert json.loads(Path("stock.json").read_text()) == {"tea": 100, "salt": 100}


def test_a_step_that_is_not_there_is_named(call: Call):
    """With those that are."""
    call("run", "set twice", *STOCK)
    done = call("fork", "--at", "9", *STOCK)
    assert (done.code, "has no step 9" in done.err, "Its steps are 1 to 3." in done.err) == (1, True, True)


def test_changes_are_read_as_text_or_json():
    """Several of one key add up; a number is text."""
    assert read_changes(["facts=Ada = Pro", 'facts={"id": "F_001", "text": ""}', "vars=7", 'tasks=["a", "b"]']) == {
        "facts": ["Ada = Pro", {"id": "F_001", "text": ""}],
        "vars": ["7"],
        "tasks": ["a", "b"],
    }
    with pytest.raises(InvalidInput, match="names no key"):
        read_changes(["facts"])
