"""The demo program, as a newcomer runs it (demo.py)."""

import shlex
import subprocess
import sys
from pathlib import Path


def test_the_demo_answers_from_the_database_and_its_commands_run(tmp_path: Path):
    """In an empty folder: what is printed at the end can be typed as it stands."""
    demo = subprocess.run([sys.executable, "-m", "crm.demo"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert demo.returncode == 0, demo.stderr
    assert "The model's replies are scripted" in demo.stdout
    assert "◂ Ada Lovelace is on the Free plan, and a customer since 2019-12-10." in demo.stdout
    assert "search_customers(query=" in demo.stdout
    commands = [line.strip() for line in demo.stdout.splitlines() if line.startswith("  ") and " --store " in line]
    assert len(commands) == 4
    for command in commands:
        done = subprocess.run(shlex.split(command), cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def test_a_model_that_cannot_be_used_is_said_in_words(tmp_path: Path):
    """No traceback, and an exit code that says that there was no answer."""
    command = [sys.executable, "-m", "crm.demo", "--model", "nobody/none"]
    demo = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (demo.returncode, demo.stderr) == (1, "")
    assert "'nobody/none' is no model" in demo.stdout
