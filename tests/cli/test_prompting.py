"""Being asked at the keyboard (ask_at_gates.py, keyboard.py, editor.py, taking_back.py)."""

import json
from pathlib import Path

import pytest

from entracte.cli.records.local_records import LocalRecords
from entracte.runtime.local.embedded import open_store
from tests.cli.conftest import Shell
from tests.cli.terminal import Seen, on_terminal

PROMPT = "[a]pprove, [d]eny, [e]dit, [l]ater: "


def asked(shell: Shell, message: str, typed: str, **variables: str) -> Seen:
    """Run the network of stock.py and type."""
    return on_terminal(shell, "run", message, "--network", "stock:network", typed=typed, **variables)


def sent(shell: Shell) -> list[str]:
    """What was shipped."""
    file = shell.folder / "sent.txt"
    return file.read_text().splitlines() if file.exists() else []


def votes(shell: Shell) -> list[tuple[str, str]]:
    """Decision and reason of every answer, in the order of their gates."""
    records = LocalRecords(open_store(str(shell.folder / ".entracte" / "entracte.db")), owner="local")
    found = [(vote["decision"], vote["reason"]) for gate in records.gates() for vote in gate["votes"]]
    records.close()
    return found


def test_a_run_asks_and_goes_on_with_the_answer(shell: Shell):
    """The question with its preview, then one key."""
    seen = asked(shell, "ship", "a\n")
    assert (seen.code, sent(shell)) == (0, ["tea to ada"])
    assert "? Ship tea to ada?\n  This cannot be undone.\n  ship: Ship an item.\n  + item: tea\n" in seen.text
    assert PROMPT in seen.text
    assert "\nDone.\n" in seen.text


def test_a_denial_asks_for_the_reason(shell: Shell):
    """Which the agent is told."""
    assert asked(shell, "ship", "deny\nnot now\n").code == 0
    assert (sent(shell), votes(shell)) == ([], [("deny", "not now")])


@pytest.mark.parametrize("typed", ["\n", "\x04", "what?\nlater\n"])
def test_later_leaves_the_run_waiting(shell: Shell, typed: str):
    """An empty line and Ctrl-D mean it too; the commands that decide are printed."""
    seen = asked(shell, "ship", typed)
    assert (seen.code, votes(shell)) == (3, [])
    assert " approve " in seen.text.splitlines()[-2]


def test_arguments_are_edited_in_an_editor_and_approved_after_another_look(shell: Shell, tmp_path: Path):
    """What the editor leaves is shown as the call that will be made."""
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i s/tea/salt/ "$1"\n')
    editor.chmod(0o755)
    seen = asked(shell, "ship", "e\ny\n", EDITOR=str(editor))
    assert '→ ship(item="salt", to="ada")\nApprove with these arguments? [y/N] ' in seen.text
    assert sent(shell) == ["salt to ada"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("true", "The arguments are as they were."),
        ("false", "error: The editor failed: "),
        ("sed -i s/{//", "error: The arguments are not JSON: "),
    ],
)
def test_an_edit_that_cannot_be_used_asks_again(shell: Shell, command: str, said: str):
    """Nothing is approved by it."""
    seen = asked(shell, "ship", "e\nl\n", EDITOR=command)
    assert (seen.code, votes(shell), seen.text.count(PROMPT)) == (3, [], 2)
    assert said in seen.text


def test_all_gates_are_asked_about_before_any_is_decided(shell: Shell):
    """And what was left for later is not asked about again."""
    seen = asked(shell, "ship both", "l\na\n")
    assert (seen.code, sent(shell), seen.text.count(PROMPT)) == (3, ["salt to grace"], 2)


def test_a_question_takes_a_line(shell: Shell):
    """Which is the tool's result."""
    assert asked(shell, "ask", "green\n").code == 0
    assert votes(shell) == [("green", "")]


def test_a_call_in_doubt_offers_its_own_words(shell: Shell):
    """There is nothing to approve."""
    seen = asked(shell, "wire", "g\n")
    assert "[h]appened, [r]etry, [g]ive up, [l]ater: " in seen.text
    assert (seen.code, votes(shell)) == (0, [("give_up", "")])


def test_a_conversation_asks_too(shell: Shell):
    """And goes on after it."""
    seen = on_terminal(shell, "chat", "--network", "stock:network", typed="ship\na\nset\n/quit\n")
    assert (seen.code, sent(shell), seen.text.count(" succeeded · ")) == (0, ["tea to ada"], 2)


def test_with_json_nobody_is_asked(shell: Shell):
    """The gate is in what is printed."""
    seen = on_terminal(shell, "run", "ship", "--network", "stock:network", "--json")
    run = json.loads(seen.text)
    assert (seen.code, run["status"], [gate["question"] for gate in run["gates"]]) == (
        3, "waiting", ["Ship tea to ada?"],
    )  # fmt: skip


def test_answer_asks_for_what_is_not_given(shell: Shell):
    """So the command that is printed can be typed as it stands."""
    shell.run("run", "ask", "--network", "stock:network")
    gate = json.loads(shell.run("gates", "--json").out)["gates"][0]["id"]
    seen = on_terminal(shell, "answer", gate, typed="green\n")
    assert (seen.code, votes(shell)) == (0, [("green", "")])
    assert "Which tea?\n" in seen.text


@pytest.mark.parametrize(("typed", "tea"), [("y\n", 3), ("n\n", 5), ("\n", 5)])
def test_an_undo_shows_what_would_be_done_and_asks(shell: Shell, typed: str, tea: int):
    """Only yes is yes."""
    shell.run("run", "set", "--network", "stock:network")
    seen = on_terminal(shell, "undo", typed=typed)
    assert (seen.code, json.loads((shell.folder / "stock.json").read_text())["tea"]) == (int(tea == 5), tea)
    assert seen.text.index("↶ revert ") < seen.text.index("Put this back? [y/N] ")


def test_an_undo_that_was_agreed_to_does_not_ask(shell: Shell):
    """For those who looked before."""
    shell.run("run", "set", "--network", "stock:network")
    seen = on_terminal(shell, "undo", "--yes")
    assert (seen.code, "[y/N]" in seen.text) == (0, False)
