"""On a terminal, and with text that a terminal would obey (screen.py, progress.py)."""

import re
from collections.abc import Callable

import pytest
from rich.text import Text

from entracte.cli.terminal.screen import Screen
from tests.cli.conftest import Done, Shell, new_shell
from tests.cli.terminal import OWN_MOVES, on_terminal

ANSWER = "red text [bold]not bold[/bold] ltr\nnext line"

_FOREIGN = ("\x1b]", "\x1b[2J", "\x1b[5m", "\x1b[31m", "\x9b", "\x08", "\x07", "\u202e")
"""What the network of this test would have a terminal do; nothing of ours is red or blinks in it."""


def test_nothing_gets_through_the_screen_as_it_is(capfd: pytest.CaptureFixture[str]):
    """Whoever forgot to clean a text before showing it."""
    screen = Screen()
    screen.print("a\x1b[2Jb\x9b31m", Text("c\x07\u202ed [red]e[/red]"))
    screen.note("f\x1b[5mg\x1b")
    assert capfd.readouterr() == ("ab\ncd [red]e[/red]\n", "fg\n")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Shell, str]:
    """A folder in which a run was watched on a terminal, and what was written to it."""
    shell = new_shell(tmp_path_factory.mktemp("watched"))
    return shell, on_terminal(shell, "run", "fetch", "--network", "hostile:network").written


@pytest.mark.parametrize("command", ["run", "show"])
def test_a_terminal_is_told_nothing_by_tools_and_models(watched: tuple[Shell, str], command: str):
    """Their control characters never reach it, and their markup is text."""
    written = watched[1] if command == "run" else on_terminal(watched[0], command).written
    assert [sequence for sequence in _FOREIGN if sequence in written] == []
    rest = OWN_MOVES.sub("", written)
    assert set(re.findall(r"[\x00-\x1f\x7f-\x9f]", rest)) <= {"\r", "\n"}
    assert ANSWER in rest.replace("\r", "")


def test_labels_that_repeat_are_left_out_on_a_terminal(watched: tuple[Shell, str]):
    """So that the eye finds where something new begins; no line is longer than the terminal is wide."""
    text = OWN_MOVES.sub("", watched[1]).replace("\r\n", "\n")
    lines = [line.rsplit("\r", 1)[-1] for line in text.split("\n")]
    labels = [(line[:18].rstrip(), line[19:31].rstrip()) for line in lines if re.match(r"(desk| {18}) ", line)]
    assert labels == [("desk", "start"), ("", "plan 1"), ("", ""), ("", "execute 1"), ("", "evaluate 1")]
    assert max(map(len, lines[:-4])) <= 100


@pytest.mark.parametrize("command", ["run fetch --network hostile:network", "show", "show --step 1", "journal", "list"])
def test_a_pipe_gets_no_control_character(watched: tuple[Shell, str], call: Callable[..., Done], command: str):
    """Neither of ours nor of anybody else's, also within JSON."""
    for form in ([], ["--json"]):
        done = call(*command.split(), *form, "--store", str(watched[0].folder / ".entracte" / "entracte.db"))
        assert done.code == 0
        assert set(re.findall(r"[\x00-\x1f\x7f-\x9f\u202e]", done.out + done.err)) == {"\n"}
