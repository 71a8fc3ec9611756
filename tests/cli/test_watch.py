"""Looking at a run while others bring it forward (commands/watch.py, watching.py, tail.py, cut_line.py)."""

import io
import json
import threading
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.text import Text

from entracte.cli.terminal.cut_line import CutLine
from entracte.cli.terminal.tail import Tail
from tests.cli.conftest import Done, Shell
from tests.cli.terminal import on_terminal

Call = Callable[..., Done]


def test_in_a_pipe_a_run_is_shown_once(call: Call):
    """Its calls, what waits, and the commands that decide it; the exit code tells how it stands."""
    call("run", "set and ship", "--network", "stock:network")
    done = call("watch")
    assert done.code == 3
    assert [line.rstrip() for line in done.out.splitlines()[1:8]] == [
        "keeper",
        "├── step 1",
        '│   ├── ✓ look(item="tea")  readonly',
        '│   └── ✓ put(item="tea", left=5)  reversible',
        "└── step 2  execute …",
        '    └── ? ship(item="tea", to="ada")  gated  irreversible',
        "",
    ]
    assert done.out.splitlines()[-2].split()[-2] == "approve"
    call("approve")
    assert call("watch").out.endswith("\n\nDone.\n")
    assert json.loads(call("watch", "--json").out)["run"]["status"] == "succeeded"


def test_on_a_terminal_a_run_is_watched_until_it_ends(shell: Shell):
    """Whoever ends it; then the whole of it is left on the screen."""
    shell.run("run", "ship", "--network", "stock:network")
    approval = threading.Timer(1.5, lambda: shell.run("approve"))
    approval.start()
    seen = on_terminal(shell, "watch")
    approval.join()
    assert seen.code == 0
    waited, _, ended = seen.text.rpartition("  succeeded  ")
    assert '? ship(item="tea", to="ada")  gated  irreversible' in waited
    assert '✓ ship(item="tea", to="ada")  irreversible' in ended


def drawn(shown: Tail | CutLine, *, width: int, height: int = 10) -> list[str]:
    """Lines on a screen of that size."""
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True, color_system=None)
    console.print(shown)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_what_does_not_fit_on_the_screen_is_cut_at_its_beginning():
    """The head stays, and the newest lines."""
    body = [Text(f"line {n}") for n in range(20)]
    assert drawn(Tail(Text("head"), body), width=20, height=5) == ["head", "line 17", "line 18", "line 19"]
    assert drawn(Tail(Text("head"), body[:2]), width=20, height=5) == ["head", "line 0", "line 1"]


@pytest.mark.parametrize(
    ("width", "line"),
    [(40, "a call with arguments  gated"), (20, "a call with …  gated"), (8, "a call …")],
)
def test_a_line_is_cut_before_its_end(width: int, line: str):
    """Status and class stay readable while there is room for them at all."""
    assert drawn(CutLine(Text("a call with arguments"), Text("  gated")), width=width) == [line]
