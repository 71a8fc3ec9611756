"""The demo program, as a newcomer runs it (demo.py, three_requests.py, workplace.py)."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from crm.database import dump


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with pipes."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which the demo was run, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    demo = run(folder, sys.executable, "-m", "crm.demo")
    assert (demo.returncode, demo.stderr) == (0, "")
    return folder, demo.stdout


def commands_in(printed: str) -> list[str]:
    """The commands that it ends with."""
    return [line.strip() for line in printed.rpartition("\n\n")[2].splitlines()]


def test_the_demo_answers_from_the_database_and_stops_before_the_mail(shown: tuple[Path, str]):
    """Two questions are answered, three records are changed, and nothing runs while the mail waits."""
    folder, printed = shown
    assert "The model's replies are scripted" in printed
    assert "◂ Ada Lovelace is on the Free plan, and a customer since 2019-12-10." in printed
    assert 'correspondence  gate    Send the mail "You are on the Pro plan" to ada@analytical-engines.examp…' in printed
    assert "◂ It waits for a person. Nothing runs now." in printed
    assert max(map(len, printed.partition("back:\n")[0].splitlines())) <= 100
    assert not (folder / ".entracte" / "outbox").exists()


def test_the_printed_commands_approve_and_take_back(shown: tuple[Path, str], template: Path):
    """Typed in their order as they stand: the mail is sent, then every record is as it was before."""
    folder, printed = shown
    done = [run(folder, *shlex.split(command)) for command in commands_in(printed)]
    assert [(d.args[1], d.returncode) for d in done] == [("gates", 0), ("approve", 0), ("undo", 1), ("undo", 1)]
    gates, approve, planned, undone = (d.stdout for d in done)
    assert 'Send the mail "You are on the Pro plan" to ada@analytical-engines.example?' in gates
    assert approve.endswith('"You are on the Pro plan" was sent to ada@analytical-engines.example.\n')
    assert [line.split()[1] for line in planned.splitlines() if line[0] != " "] == ["permanent", *["revert"] * 3]
    assert [line.split()[1] for line in undone.splitlines() if line[0] != " "] == ["permanent", *["reverted"] * 3]
    assert len([*(folder / ".entracte" / "outbox").iterdir()]) == 1
    assert dump(folder / ".entracte" / "crm.sqlite3") == dump(template)


def test_a_second_demo_meets_new_records_and_keeps_the_old_ones(tmp_path: Path):
    """What was there is moved aside, not thrown away."""
    store = tmp_path / ".entracte" / "entracte.db"
    store.parent.mkdir()
    store.write_text("somebody's")
    demo = run(tmp_path, sys.executable, "-m", "crm.demo")
    assert "What was in .entracte before is in .entracte/before/" in demo.stdout
    (kept,) = (tmp_path / ".entracte" / "before").iterdir()
    assert (kept / "entracte.db").read_text() == "somebody's"
    gates = run(tmp_path, *shlex.split(commands_in(demo.stdout)[0]), "--json")
    assert [gate["tool"] for gate in json.loads(gates.stdout)["gates"]] == ["send_email"]


def test_the_demo_touches_no_place_that_settings_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It would have to empty it, and commands typed next would look there."""
    monkeypatch.setenv("CRM_DATABASE", str(tmp_path / "mine.sqlite3"))
    demo = run(tmp_path, sys.executable, "-m", "crm.demo")
    assert (demo.returncode, demo.stderr, [*tmp_path.iterdir()]) == (1, "", [])
    assert demo.stdout.startswith("CRM_DATABASE is set, and this program works in .entracte only.")


def test_a_model_that_cannot_be_used_is_said_in_words(tmp_path: Path):
    """No traceback, and an exit code that says that there was no answer."""
    demo = run(tmp_path, sys.executable, "-m", "crm.demo", "--model", "nobody/none")
    assert (demo.returncode, demo.stderr) == (1, "")
    assert "'nobody/none' is no model" in demo.stdout
