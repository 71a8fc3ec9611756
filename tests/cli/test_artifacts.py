"""Papers of a session on the command line (commands/artifacts.py)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done

Call = Callable[..., Done]

TEXT = "Eins.\r\nZwei. 漢\n"


@pytest.fixture(autouse=True)
def session(call: Call) -> None:
    """A session called s, of the newest run."""
    call("run", "count", "--session", "s", "--network", "stock:network")
    Path("outline.md").write_bytes(TEXT.encode())


def artifacts(call: Call, *arguments: str) -> list[dict[str, Any]]:
    """What is listed."""
    found: list[dict[str, Any]] = json.loads(call("artifacts", "list", "--json", *arguments).out)["artifacts"]
    return found


def test_a_paper_is_added_listed_shown_changed_and_deleted(call: Call):
    """In the session of the newest run; what goes into a pipe is what was added, to the byte."""
    added = call("artifacts", "add", "The outline", "outline.md", "--tag", "plot", "--tag", "draft")
    (item,) = artifacts(call)
    assert (added.out, added.err) == ("", f"{item['id']} added: The outline\n")
    assert call("artifacts", "list").out.splitlines() == [
        "artifact        type  characters  shown  title",
        f"{item['id']}  text          15  yes    The outline [plot, draft]",
    ]
    assert call("artifacts", "show", "the out").out == TEXT
    call("artifacts", "set", "The outline", "--title", "Plot", "--hide", "--tag", "old")
    (changed,) = artifacts(call, "--session", "s")
    assert (changed["title"], changed["active"], changed["tags"]) == ("Plot", False, ["old"])
    assert call("artifacts", "delete", "Plot").err == f"{item['id']} deleted: Plot\n"
    assert (artifacts(call), call("artifacts", "list").err) == ([], "No artifacts.\n")


def test_a_paper_is_edited_in_an_editor(call: Call, monkeypatch: pytest.MonkeyPatch):
    """What was not changed there is not written."""
    call("artifacts", "add", "Outline", "outline.md")
    monkeypatch.setenv("EDITOR", "sed -i s/Eins/Drei/")
    assert call("artifacts", "edit", "Outline").err.endswith("changed: Outline\n")
    assert "Drei" in call("artifacts", "show", "Outline").out
    monkeypatch.setenv("EDITOR", "true")
    assert call("artifacts", "edit", "Outline").err == "Nothing was changed.\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "Outline"), "There is no artifact 'Outline'."),
        (("list", "--session", "t"), "There is no session 't'."),
        (("add", "Outline", "nothing.md"), "nothing.md cannot be read: "),
        (("set", "Outline"), "Nothing is to be changed."),
        (("add", " ", "outline.md"), "A title has 1 to 200 characters, and this one 0."),
    ],
)
def test_what_cannot_be_done_is_said(call: Call, arguments: tuple[str, ...], told: str):
    """In one line, with the exit code of a failure."""
    done = call("artifacts", *arguments)
    assert (done.code, done.out) == (1, "") or done.code == 2
    assert done.err.startswith(f"error: {told}")
