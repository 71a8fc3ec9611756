"""Programs that fork, flood, hang and eat, and what is left of them: nothing (toolbox/shell/)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from entracte.errors import ConfigurationError, ToolError
from entracte.toolbox.shell import shell_tool
from entracte.toolbox.shell.allowed import read_allowed
from entracte.toolbox.shell.running import Bounds, run
from tests.runtime.scenes import value
from tests.toolbox.desk import Desk

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def python(folder: Path, code: str, **bounds: float):
    """Run some Python as a command would be."""
    limits = Bounds(**{"timeout_s": 20, "memory_bytes": 2_000_000_000} | bounds)
    return run(sys.executable, ["python", "-I", "-S", "-c", code], folder=folder, env=ENV, bounds=limits)


def alive(folder: Path) -> list[int]:
    """Processes that have written their id into the folder and are still there."""
    found = []
    for path in folder.glob("pid-*"):
        try:
            state = Path(f"/proc/{path.name[4:]}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state not in "XZ":
            found.append(int(path.name[4:]))
    return found


def test_a_command_says_something_and_ends(tmp_path: Path):
    """Its words, its exit code, its folder, and nothing of our environment."""
    code = (
        "import os, sys; print(os.getcwd(), sorted(os.environ)); sys.stderr.write(sys.stdin.read() + 'oh'); sys.exit(3)"
    )
    ran = python(tmp_path, code)
    assert (ran.exit_code, ran.killed, ran.stderr) == (3, "", b"oh")
    assert ran.stdout.decode().startswith(f"{tmp_path} ['")
    assert "HOME" not in ran.stdout.decode()


FORK = """
import os, time
for session in (False, True, True):
    if os.fork() == 0:
        if session: os.setsid()
        if os.fork() == 0:
            open(f"pid-{os.getpid()}", "w").close()
            time.sleep(1000)
        os._exit(0)
while len([n for n in os.listdir() if n.startswith("pid-")]) < 3: time.sleep(0.01)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="finding those that have left their session takes Linux")
@pytest.mark.parametrize("then", ["", "time.sleep(1000)"], ids=["and ends", "and hangs"])
def test_a_command_that_forks_leaves_nobody_behind(tmp_path: Path, then: str):
    """Children, grandchildren, and those that have made a session of their own; when it ends and when it is killed."""
    ran = python(tmp_path, FORK + then, timeout_s=20 if not then else 2)
    assert len(list(tmp_path.glob("pid-*"))) == 3
    assert alive(tmp_path) == []
    assert (ran.exit_code, ran.killed) == ((0, "") if not then else (137, "It did not end within 2 s."))


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
def test_when_we_die_the_command_dies(tmp_path: Path):
    """Its supervisor hears that the lifeline has closed, whoever closes it."""
    started = (
        "import sys; from pathlib import Path; from entracte.toolbox.shell.running import Bounds, run\n"
        "import os, threading\n"
        f"code = {FORK + 'time.sleep(1000)'!r}\n"
        "args = dict(folder=Path('.'), env={}, bounds=Bounds(timeout_s=100, memory_bytes=2*10**9))\n"
        "threading.Thread(target=run, args=(sys.executable, ['p', '-c', code]), kwargs=args, daemon=True).start()\n"
        "while len(list(Path('.').glob('pid-*'))) < 3: pass\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", started], cwd=tmp_path, check=False, timeout=60)
    assert done.returncode == -9
    for _ in range(2000):
        if not alive(tmp_path):
            break
        os.sched_yield()
        subprocess.run(["true"], check=True)  # a moment, in which others may run
    assert alive(tmp_path) == []


def test_a_command_that_floods_is_cut_and_killed(tmp_path: Path):
    """Beginning and end of what it said are kept; it cannot go on for ever."""
    ran = python(tmp_path, "while True: print('y' * 1000)", output_bytes=1000)
    assert (ran.exit_code, ran.killed) == (137, "It said more than 100,000 bytes.")
    assert len(ran.stdout) < 1100 and b"bytes \xe2\x80\xa6" in ran.stdout
    ran = python(tmp_path, "print('a' * 1000 + 'b' * 1000)", output_bytes=100)
    assert ran.stdout == b"a" * 50 + "\n… 1,901 bytes …\n".encode() + b"b" * 49 + b"\n"
    assert (ran.exit_code, ran.killed) == (0, "")


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(1000)",
        "while True: pass",
        "import signal; signal.signal(15, signal.SIG_IGN); signal.pause()",
    ],
)
def test_a_command_that_hangs_is_killed(tmp_path: Path, code: str):
    """Asleep, busy, or deaf to kind words; closing its streams does not help it."""
    ran = python(tmp_path, "import os; os.close(1); os.close(2)\n" + code, timeout_s=0.5)
    assert ran.exit_code == 137


def test_a_command_gets_no_more_memory_than_it_may(tmp_path: Path):
    """Nor larger files."""
    assert b"MemoryError" in python(tmp_path, "b'x' * 10**9", memory_bytes=500_000_000).stderr
    python(tmp_path, "open('f', 'wb').write(b'x' * 2000)", file_bytes=1000)
    assert (tmp_path / "f").stat().st_size == 1000


@pytest.mark.parametrize(
    "command",
    [["rm", "-rf", "."], ["ls"], ["/bin/echo", "hi"], ["git", "push"], ["git", "-C", "/", "log"], ["git"], ["echo;ls"]],
)
def test_what_is_not_allowed_is_refused_before_anybody_is_asked(tmp_path: Path, command: list[str]):
    """By its first words, and by no others."""
    desk = Desk([shell_tool(allow=["echo", "sh log"], folder=tmp_path)])
    run_ = desk.ask(("shell", {"command": command}))
    (action,) = desk.actions(run_)
    assert (action.status, desk.gates(run_)) == ("failed", [])
    assert "may not be run. Commands begin with one of: echo, sh log." in action.error


def test_each_call_waits_for_a_person_and_no_shell_takes_it_apart(tmp_path: Path):
    """What is approved is run, word by word."""
    (tmp_path / "inner").mkdir()
    desk = Desk([shell_tool(allow=["echo"], folder=tmp_path)])
    run_ = desk.ask(("shell", {"command": ["echo", "$HOME; ls | cat", "*"], "folder": "inner"}))
    (gate,) = desk.gates(run_)
    assert gate.question == 'Run ["echo","$HOME; ls | cat","*"]?'
    run_ = desk.decide(run_)
    (action,) = desk.actions(run_)
    assert (value(action.result)["stdout"], value(action.result)["exit_code"]) == ("$HOME; ls | cat *\n", 0)
    assert desk.undo(run_).status != "undone"


def test_a_command_runs_in_its_folder_only(tmp_path: Path):
    """Links that lead out are refused, as files are."""
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "out").symlink_to(tmp_path)
    tool = shell_tool(allow=["pwd"], folder=tmp_path / "inside")
    assert tool(command=["pwd"])["stdout"] == f"{tmp_path / 'inside'}\n"
    for folder in ("out", "..", "gone"):
        with pytest.raises(ToolError, match=r"leads out|There is no folder"):
            tool(command=["pwd"], folder=folder)


def test_a_shell_that_is_not_described_is_refused_at_once(tmp_path: Path):
    """No commands, a program that is not there, one by its path, a folder that is none."""
    for allow in ((), "ls", [" "], ["no-such-program"], ["/bin/ls"]):
        with pytest.raises(ConfigurationError):
            read_allowed(allow)
    for other in (
        {"folder": tmp_path / "gone"},
        {"folder": tmp_path, "timeout_s": 0},
        {"folder": tmp_path, "timeout_s": 9999},
    ):
        with pytest.raises(ConfigurationError):
            shell_tool(allow=["ls"], **other)
