"""The command line in a folder of its own: as a process, as people run it, or called here, which is quicker."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from entracte.api.app import create_app
from entracte.cli.main import main
from entracte.cli.records.local_records import runtime_on
from entracte.runtime.doors.callers import LoopbackUser
from tests.api.serving import served

NETWORKS = Path(__file__).with_name("networks")
SOURCES = Path(__file__).resolve().parents[2] / "shared"
SCRIPT = Path(sys.executable).with_name("entracte")
"""The console script of this environment."""

_OURS = ("ENTRACTE_", "CRM_", "GOOGLE_CLOUD_", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHON")


@dataclass(frozen=True, slots=True)
class Done:
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs the console script in a folder."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *arguments: str, stdin: str = "") -> Done:
        """Run it to its end, with pipes for all three streams."""
        with self.start(*arguments) as process:
            out, err = process.communicate(stdin, timeout=60)
        return Done(process.returncode, out, err)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start it."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [SCRIPT, *arguments],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            preexec_fn=_heeds_ctrl_c,
        )


def _heeds_ctrl_c() -> None:
    """As in a terminal: where the tests themselves run in the background, a shell has them ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def new_shell(folder: Path) -> Shell:
    """A shell without settings of ours, for which the networks beside this file can be imported."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return Shell(folder, kept | {"PYTHONPATH": f"{SOURCES}{os.pathsep}{NETWORKS}", "PYTHONDONTWRITEBYTECODE": "1"})


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty folder."""
    return new_shell(tmp_path)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Calls the command line in this process, in an empty folder."""
    for name in [name for name in os.environ if name.startswith(_OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(NETWORKS)

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["entracte", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture(autouse=True)
def log_as_it_was() -> Iterator[None]:
    """Puts back what the command line does to the log of its process."""
    ours, all = logging.getLogger("entracte"), logging.getLogger()
    kept = ours.handlers[:], all.handlers[:], ours.level, ours.propagate
    yield
    ours.handlers[:], all.handlers[:], ours.level, ours.propagate = kept


@pytest.fixture(params=["here", "behind an API"])
def at(request: pytest.FixtureRequest) -> Iterator[tuple[str, ...]]:
    """Options that lead to the fixture `store` of the test's module, the file kept.db, as an operator of it."""
    store = request.getfixturevalue("store")
    if request.param == "here":
        yield ("--store", "kept.db")
        return
    with served(create_app(runtime_on(store), identify=LoopbackUser("local", ("local",)))) as url:
        yield ("--url", url)
