"""The fixtures that other tests use (tests/emulators.py), seen from outside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("ci", "outcome"), [("", "1 skipped"), ("true", "1 error")])
def test_a_missing_emulator_is_a_skip_on_a_laptop_and_a_failure_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: str
):
    """CI must not go green by having run nothing."""
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:9")  # "discard": nobody listens there
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "infra"))
    (tmp_path / "test_it.py").write_text("def test_it(firestore_emulator): pass\n")
    pytest_here = [sys.executable, "-m", "pytest", "-ra", "-p", "tests.emulators", "--rootdir", tmp_path, tmp_path]
    run = subprocess.run(pytest_here, cwd=ROOT, capture_output=True, text=True)
    assert f"{outcome} in" in run.stdout
    assert "FIRESTORE_EMULATOR_HOST is 127.0.0.1:9, but nothing answers there" in run.stdout
