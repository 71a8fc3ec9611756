"""A child process: its own process group, the tail of its log, and an end that leaves nothing behind."""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

_TAIL_LINES = 40
_POLL_S = 0.02
_GRACE_S = 5.0


class ChildFailed(Exception):
    """A child process ended, or was not ready in time. The message ends with the tail of its log."""


class _Guard:
    """A shell that kills a process group as soon as we are gone, kill -9 included: then its standard input ends."""

    def __init__(self) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", 'read -r group; read -r _; kill -s KILL -- "-$group"'],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )

    def watch(self, group: int) -> None:
        assert self._shell.stdin is not None
        print(group, file=self._shell.stdin, flush=True)

    def strike(self) -> None:
        """Kill the group now."""
        self._shell.communicate()

    def dismiss(self) -> None:
        """Nothing is left to kill."""
        self._shell.kill()
        self._shell.communicate()


class Child:
    """A running program.

    Attributes:
        name: What the log and errors call it.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> None:
        """Start it. `on_line` gets each line of its output, from a thread of its own."""
        self.name = name
        self._tail: collections.deque[str] = collections.deque(maxlen=_TAIL_LINES)
        self._on_line = on_line
        self._stopped = False
        self._guard = _Guard()  # before the program, so that it is without a guard for the shortest time
        try:
            with _undisturbed():  # Ctrl-C in here would leave a program that neither we nor the guard know
                self._program = subprocess.Popen(
                    [str(part) for part in command],
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C reaches us alone, and one signal reaches all of its processes
                    text=True,
                    errors="replace",
                )
                self._guard.watch(self._program.pid)
        except BaseException:
            self._guard.strike()
            raise
        self._reader = threading.Thread(target=self._read, name=f"log of {name}", daemon=True)
        self._reader.start()

    @property
    def ended(self) -> bool:
        """Whether the program is no longer running."""
        return self._program.poll() is not None

    def failure(self, what: str) -> ChildFailed:
        """An error that says what happened and shows the tail of the log."""
        if self.ended:
            self._reader.join(timeout=1.0)
            what = f"{what} (exit code {self._program.returncode})"
        tail = "\n".join(f"    {line}" for line in list(self._tail)) or "    (it wrote nothing)"
        return ChildFailed(f"{self.name} {what}. Last lines of its log:\n{tail}")

    def ask_to_end(self) -> None:
        """Send SIGTERM to all its processes, and do not wait."""
        self._signal(signal.SIGTERM)

    def pause(self) -> None:
        """Let none of its processes run until `go_on`."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """End a pause."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End all its processes at once, as a power failure would."""
        self._signal(signal.SIGKILL)
        self.stop()

    def kill_workers(self) -> int:
        """End at once the processes that the program has started itself; how many there were. It starts others."""
        # Linux tells them; elsewhere there are none to be found.
        listing = Path(f"/proc/{self._program.pid}/task/{self._program.pid}/children")
        workers = [int(word) for word in listing.read_text().split()] if listing.exists() else []
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        return len(workers)

    def stop(self) -> None:
        """End all its processes: asked first, killed after 5 s. Stopping twice is no error."""
        if self._stopped:  # its number may be another program's by now
            return
        self._stopped = True
        self.ask_to_end()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._program.wait(_GRACE_S)
        self._signal(signal.SIGKILL)  # those that outlived their leader, too
        self._program.wait()
        self._guard.dismiss()
        self._reader.join(timeout=1.0)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS refuses a group of zombies
            os.killpg(self._program.pid, number)

    def _read(self) -> None:
        assert self._program.stdout is not None
        with self._program.stdout as lines:
            for line in lines:
                self._tail.append(line.rstrip("\n"))
                if self._on_line is not None:
                    self._on_line(line.rstrip("\n"))


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that end us wait until the block has ended. Python hands them to the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in ours:
        signal.signal(number, lambda taken, _: caught.append(taken))
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        for taken in caught:
            signal.raise_signal(taken)


def wait_until(ready: Mapping[Child, Callable[[], bool]], *, timeout_s: float) -> None:
    """Return as soon as every child's condition has come true.

    Raises:
        ChildFailed: One of them ended, ready or not, or took longer than `timeout_s`.
    """
    deadline = time.monotonic() + timeout_s
    waiting = dict(ready)
    while waiting:
        for child in list(waiting):
            if waiting[child]():
                del waiting[child]
        for child in ready:  # after the conditions: it may be something else that answers in its place
            if child.ended:
                raise child.failure("ended before all was ready")
        if waiting and time.monotonic() > deadline:
            raise next(iter(waiting)).failure(f"was not ready after {timeout_s:g} s")
        time.sleep(_POLL_S)


def stop_all(children: Sequence[Child]) -> None:
    """End them all at once, which takes as long as the slowest."""
    for child in children:
        child.ask_to_end()
    for child in children:
        child.stop()
