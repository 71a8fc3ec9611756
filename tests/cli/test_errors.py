"""What goes wrong, in one or two lines and an exit code (failures.py, main.py)."""

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from entracte.agents.schema import json_schema
from entracte.cli.views.run_end import exit_code_of
from tests.cli.conftest import Done

Call = Callable[..., Done]


@pytest.mark.parametrize(
    ("arguments", "message", "remedy"),
    [
        (["run"], "Missing argument 'MSG'.", "entracte run --help says what can be given."),
        (
            ["run", "x", "--sesion", "s"],
            "No such option: --sesion (Possible options: --session)",
            "entracte run --help",
        ),
        (["shwo"], "No such command 'shwo'. Did you mean 'show'?", "entracte --help says what can be given."),
        (
            ["run", "x", "--network", "nowhere:network"],
            "Network 'nowhere:network' fails to import: ModuleNotFound",
            "Go to the folder",
        ),
        (["run", "x", "--network", "nowhere"], "'nowhere'; expected package.module:name", "--network"),
        (["run", "x", "--network", "json:dumps"], "'json:dumps' is a function, not a Network.", ""),
        (["run", "x", "--model", "nobody/x"], "'nobody/x' is no model.", ""),
        (["run", "x", "--base-url", "http://h/v1"], "--base-url needs --model.", "Name the model"),
        (["run", "x", "--agent", "nobody"], "There is no agent 'nobody'.", "Agents: desk, "),
        (["run", "x", "--detach", "--store", "memory"], "A run with --store memory cannot be detached.", "Name a file"),
        (["list"], "There is no store ", "Make a run, go to the folder where one was made, or name the store's file"),
        (["list", "--store", "firestore"], "The command line does not open Firestore itself.", "Give --url"),
        (["list", "--store", "memory", "--status", "gone"], "There is no status 'gone'.", "Statuses: queued, running,"),
        (["list", "--url", "ftp://h"], "The API's address is 'ftp://h'", ""),
        (["show", "--context"], "No such option: --context", "entracte show --help"),
        (["run", "  ", "--network", "stock:network"], "The message is empty.", "Write what is asked."),
        (["package", "../x"], "'../x:network' names no network.", "entracte package NAME, for the network shared/NAME"),
        (["load", "nosuch.json"], "nosuch.json cannot be read: No such file or directory.", ""),
    ],
)
def test_wrong_usage_and_configuration_are_said_in_two_lines(
    call: Call, arguments: list[str], message: str, remedy: str
):
    """On standard error, with exit code 2; standard output stays empty and there is no traceback."""
    done = call(*arguments)
    lines = done.err.replace("python -m entracte.cli.main", "entracte").splitlines()
    assert (done.code, done.out, len(lines)) == (2, "", 2 if remedy else 1), done.err
    assert lines[0].startswith("error: ") and message in lines[0]
    assert remedy in lines[-1]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["approve", "", "--by", "you"], "What follows approve"),
        (["approve", "--all", "--run", ""], "What follows --run"),
        (["approve", "--args="], "--args"),
        (["deny", ""], "What follows deny"),
        (["answer", "", "happened"], "What follows answer"),
        (["undo", "", "-y"], "What follows undo"),
        (["undo", "-y", "--to", ""], "What follows --to"),
        (["fork", "--at", "1", ""], "What follows 1"),
        (["cancel", ""], "What follows cancel"),
        (["resume", ""], "What follows resume"),
        (["retry", ""], "What follows retry"),
        (["show", "--", ""], "What follows --"),
        (["journal", ""], "What follows journal"),
        (["watch", ""], "What follows watch"),
        (["artifacts", "list", "--session", ""], "What follows --session"),
        (["memories", "show", ""], "What follows show"),
        (["run", ""], "What follows run"),
        (["list", "--url", ""], "What follows --url"),
        (["", "-y"], "The command"),
    ],
)
def test_what_is_given_but_empty_stands_for_nothing(call: Call, arguments: list[str], what: str):
    """A variable of the shell that is not set names neither the newest run nor the only gate."""
    done = call(*arguments)
    assert (done.code, done.out, done.err.splitlines()[0]) == (2, "", f"error: {what} is empty.")


def test_an_empty_argument_of_another_program_is_its_own(call: Call):
    """Behind the two dashes of init."""
    assert "is empty" not in call("init", "--", "no-such-server", "").err


def test_an_unknown_run_is_named(call: Call):
    """With the command that lists those that there are."""
    done = call("show", "abc", "--store", "memory")
    assert (done.code, done.err.splitlines()[0]) == (1, "error: No run's id begins with 'abc'.")
    assert done.err.splitlines()[1].endswith(" list --store memory")


def test_a_file_that_is_no_store_is_refused(call: Call, tmp_path: Path):
    """And left as it is."""
    (tmp_path / "notes.db").write_text("no database at all, but long enough to be looked at " * 20)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE documents (path TEXT)")
    other.close()
    for name in ("notes.db", "other.db"):
        done = call("list", "--store", name)
        assert (done.code, done.out, done.err.startswith(f"error: {name}")) == (2, "", True), done.err


def test_a_reply_that_is_no_use_fails_the_run(call: Call):
    """Why there is no answer is said, and the exit code is 1."""
    done = call("run", "fail", "--network", "hostile:network", "--store", "memory")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[-2].startswith("error: The model gave 3 replies in a row that could not be used")
    assert " failed (error) · 1 step · 0 calls · " in done.err.splitlines()[-1]


def test_show_lists_what_went_wrong_on_the_way(call: Call):
    """Each fault once, under the step in which it came up."""
    call("run", "fail", "--network", "hostile:network")
    head, _, errors = call("show").out.partition("\nerrors\n")
    assert head.splitlines()[0].endswith("  failed (error)")
    told, ended = errors.splitlines()
    assert told.startswith("  desk, step 1: The model's reply could not be used: ")
    assert ended.startswith("  The model gave 3 replies in a row that could not be used; ")


def test_a_file_that_cannot_be_used_is_no_bug(call: Call, monkeypatch: pytest.MonkeyPatch):
    """A folder that is readonly, a disk that is full: which, and why."""

    def full(store: str) -> None:
        raise OSError(28, "No space left on device", "here/notes.json")

    monkeypatch.setattr("entracte.runtime.local.embedded.open_store", full)
    assert call("list", "--store", "memory") == Done(
        1,
        "",
        "error: here/notes.json: No space left on device.\n"
        "  See that it may be read and written, and that the disk has room.\n",
    )


def test_a_bug_shows_its_traceback_only_to_those_who_debug(call: Call, monkeypatch: pytest.MonkeyPatch):
    """Others are told how to see it."""
    monkeypatch.setattr("entracte.runtime.local.embedded.open_store", json_schema)
    done = call("list", "--store", "memory")
    assert (done.code, done.err.splitlines()) == (
        1,
        [
            "error: TypeError: json_schema() missing 1 required positional argument: 'where'",
            "  This is a bug. Give --log-level debug to see where it happened.",
        ],
    )
    assert "Traceback (most recent call last)" in call("list", "--store", "memory", "--log-level", "debug").err


def test_a_fault_of_an_authors_code_is_no_bug_of_ours(call: Call, monkeypatch: pytest.MonkeyPatch):
    """Its place is named at any level."""
    monkeypatch.setattr("entracte.runtime.local.embedded.open_store", lambda store: 1 / 0)
    done = call("list", "--store", "memory")
    place = re.escape(f"({Path(__file__).name}:") + r"\d+\)"
    assert re.fullmatch(
        f"error: ZeroDivisionError: division by zero {place}\n  Give --log-level debug to see how it came there.\n",
        done.err,
    )


@pytest.mark.parametrize(
    ("status", "code"), [("succeeded", 0), ("failed", 1), ("cancelled", 1), ("stalled", 1), ("waiting", 3)]
)
def test_the_exit_code_tells_how_a_run_stands(status: str, code: int):
    """For scripts."""
    assert exit_code_of({"status": status}) == code


@pytest.mark.parametrize(("options", "answer"), [((), "Said.\n"), (("--json",), '{"id": ')])
def test_what_a_tool_prints_is_no_part_of_the_answer(call: Call, options: tuple[str, ...], answer: str):
    """It goes where everything about the answer goes."""
    done = call("run", "shout", "--network", "hostile:network", "--store", "memory", *options)
    assert (done.code, done.out.startswith(answer), "Loud." in done.out, "Loud." in done.err) == (0, True, False, True)


def test_the_version_is_told(call: Call):
    """On standard output, without a command."""
    assert call("--version") == Done(0, "entracte 0.1.0\n", "")
