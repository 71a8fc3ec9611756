"""Labels with a text beside them (hanging.py)."""

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from entracte.cli.terminal.hanging import Hanging


@pytest.mark.parametrize(
    ("terminal", "lines"),
    [
        (True, ["asked  what is the plan of", "       Ada", "", "       please"]),
        (False, ["asked  what is the plan of Ada", "", "       please"]),
    ],
)
def test_further_lines_stand_below_the_first(terminal: bool, lines: list[str]):
    """On a terminal they are wrapped at words; elsewhere a line stays a line."""
    console = Console(file=StringIO(), force_terminal=terminal, no_color=True, width=27)
    console.print(Hanging(Text("asked  "), Text("what is the plan of Ada\n\nplease")), soft_wrap=True)
    assert [line.rstrip() for line in console.file.getvalue().splitlines()] == lines  # type: ignore[attr-defined]
