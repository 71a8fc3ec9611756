"""Ctrl-C in the first moments of a program, while it is still being imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from dev import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [command[0] for command in COMMANDS.values() if command[0] != "-m"]


@pytest.mark.parametrize(
    ("program", "imported"),
    [
        (["-m", "entracte.cli.main", "list"], "typer"),
        (["infra/dev.py", "demo"], "argparse"),
        (["infra/dev.py", "demo"], "platform"),
        (["-m", "crm.demo"], "typer"),
        (["infra/program.py", "-m", "pytest"], "_pytest"),
        *((["infra/program.py", program], "argparse") for program in PROGRAMS if program != "infra/lock.py"),
        (["infra/program.py", "infra/lock.py"], "tempfile"),
    ],
)
def test_ctrl_c_while_a_program_is_imported_leaves_no_traceback(program, imported, tmp_path):
    """It is pressed at the moment at which the program asks for this module."""
    (tmp_path / f"{imported}.py").write_text("raise KeyboardInterrupt\n")
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) in [(130, "", ""), (130, "", "Interrupted.")]
