"""A setting that cannot be used: one line, and no traceback (quick_start.py, infra/stack.py)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = os.pathsep.join([str(ROOT / "shared"), str(ROOT / "infra")])
SAID = (
    "ENTRACTE_NOTIFY: the address of a notifier must begin with https:// and name a host. "
    "On your own machine, http:// will do as well with ENTRACTE_NOTIFY_LOOPBACK=true."
)
FUNCTION = ["-m", "functions_framework", "--source", str(ROOT / "functions" / "plan" / "main.py"), "--target", "plan"]
STACK = ["-c", "import sys, stack; sys.exit(stack.main(['--api-port=0']))"]


@pytest.mark.parametrize(
    ("program", "code", "line"), [(FUNCTION, 3, f"start_refused {SAID}"), (STACK, 1, f"error: {SAID}")]
)
def test_a_setting_that_cannot_be_used_is_told_in_a_line(program, code, line, monkeypatch):
    """By a function; and by the stack before it starts any, so that it is told once."""
    settings = {
        "ENTRACTE_NOTIFY": "webhook+http://localhost:9099/hook",
        "ENTRACTE_NETWORK": "crm:network",
        "HOST": "127.0.0.1",
        "ENTRACTE_PROJECT": "demo-entracte",
        "PYTHONPATH": SOURCES,
        "COLUMNS": "1000",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    done = subprocess.run([sys.executable, *program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (code, "", [line])
