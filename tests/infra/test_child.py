"""Child processes (infra/child.py)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from child import Child, ChildFailed, wait_until

INFRA = Path(__file__).resolve().parents[2] / "infra"


@contextmanager
def child(script: str) -> Iterator[Child]:
    """A shell that runs the script."""
    started = Child("worker", ["sh", "-c", script])
    try:
        yield started
    finally:
        started.stop()


def test_a_child_that_ends_early_is_noticed_at_once_and_shows_its_log():
    """Long before the time limit, and with the reason that it gave."""
    with child("echo no such jar; exit 3") as worker, pytest.raises(ChildFailed) as failure:
        wait_until({worker: lambda: False}, timeout_s=60)
    assert str(failure.value) == (
        "worker ended before all was ready (exit code 3). Last lines of its log:\n    no such jar"
    )


def test_a_child_that_ended_is_not_ready_though_something_answers_in_its_place():
    """Another server that has the port must not be taken for ours."""
    with child("exit 1") as worker:
        worker._program.wait()
        with pytest.raises(ChildFailed):
            wait_until({worker: lambda: True}, timeout_s=60)


def test_a_child_that_is_never_ready_is_given_up():
    """Waiting is bounded."""
    silent = r"worker was not ready after 0 s\. .*\n    \(it wrote nothing\)"
    with child("exec sleep 60") as worker, pytest.raises(ChildFailed, match=silent):
        wait_until({worker: lambda: False}, timeout_s=0)


def test_stopping_ends_its_children_too_even_those_that_will_not(tmp_path: Path):
    """Here one that ignores SIGTERM and holds a pipe open, which closes when the last of them is gone."""
    os.mkfifo(pipe := tmp_path / "pipe")
    with child(f"trap '' TERM; sh -c 'echo up; sleep 5; echo alive' > {pipe} & trap - TERM; wait"):
        reader = pipe.open()
        assert reader.readline() == "up\n"
    assert reader.read() == ""
    reader.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_a_program_starts_leaves_nothing_running(tmp_path: Path, number: signal.Signals):
    """At the worst moment: the program runs, and nobody has been told its number yet."""
    os.mkfifo(pipe := tmp_path / "pipe")
    code = f"""
import child, signal, subprocess
signal.signal({number:d}, signal.default_int_handler)
begin = subprocess.Popen.__init__
def begin_and_be_interrupted(self, command, **options):
    begin(self, command, **options)
    if "echo up" in command[-1]:
        open({str(pipe)!r}).readline()
        signal.raise_signal({number:d})
subprocess.Popen.__init__ = begin_and_be_interrupted
child.Child("worker", ["sh", "-c", "exec > {pipe}; echo up; exec sleep 30"])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=INFRA, stderr=subprocess.DEVNULL, timeout=30)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert (done.returncode, os.read(reader, 1)) == (-signal.SIGINT, b"")  # with a writer left, reading would fail
    os.close(reader)


def test_a_child_does_not_outlive_a_parent_that_was_killed(tmp_path: Path):
    """Nobody is left to stop it, and yet it ends."""
    os.mkfifo(pipe := tmp_path / "pipe")
    script = f"(echo up; sleep 5; echo alive) > {pipe}"
    code = f"import child, signal; child.Child('worker', ['sh', '-c', {script!r}]); print(flush=True); signal.pause()"
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=INFRA, stdout=subprocess.PIPE)
    with parent, pipe.open() as reader:
        assert reader.readline() == "up\n"
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.kill()
        assert reader.read() == ""
