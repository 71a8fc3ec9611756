"""What the stack shows (infra/terminal.py)."""

from __future__ import annotations

import pytest

from terminal import Terminal


def test_the_logs_of_all_functions_become_one_aligned_log(capsys: pytest.CaptureFixture[str]):
    """As it was written, brackets and all, and without colours where nobody sees them."""
    terminal = Terminal()
    terminal.line("plan", "message_handled note=[r.1.plan]")
    terminal.line("gate_edit", "\x1b[1mbold\x1b[0m " + "x" * 200)
    assert capsys.readouterr().out == f"plan      │ message_handled note=[r.1.plan]\ngate_edit │ bold {'x' * 200}\n"
