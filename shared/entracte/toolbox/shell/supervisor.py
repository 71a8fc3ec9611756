"""Runs one command as a program of its own, and leaves none of its descendants behind. Knows nothing of Entracte.

    python -I -S supervisor.py LIMITS_AS_JSON PROGRAM ARGV0 ARGUMENT…

Its standard input is the lifeline: when that closes, because the time is over or because who started it has died,
everything that the command has started is killed. So it is when the command ends. Exits as the command does, with 128
and the signal's number where a signal ended it, and with 127 where it could not be started.

Processes that leave their session are found too: on Linux, orphans are adopted by this process (prctl(2),
PR_SET_CHILD_SUBREAPER).
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
KILLING_S = 5.0


def main(limits: dict[str, int], program: str, argv: list[str]) -> int:
    """Run it to its end; the exit code."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    ended, in_child = os.pipe()
    child = os.fork()
    if child == 0:
        _become(limits, program, argv)
    os.close(in_child)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    code = None
    while code is None:
        readable, _, _ = select.select([0], [], [], 0.05)  # the command's end is looked for as often
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
        elif readable and not os.read(0, 1):
            code = -signal.SIGKILL
    _kill_all(child)
    os.close(ended)
    return code if code >= 0 else 128 - code


def _become(limits: dict[str, int], program: str, argv: list[str]) -> None:
    """In the child: turn into the command."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        for name, limit in limits.items():
            _, hard = resource.getrlimit(getattr(resource, name))
            allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(getattr(resource, name), (allowed, allowed))
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them, which programs inherit
        os.closerange(3, 256)
        os.execv(program, argv)
    except BaseException as error:  # noqa: BLE001  # nothing may run on in the child
        os.write(2, f"{error}\n".encode())
    os._exit(127)


def _kill_all(child: int) -> None:
    """Kill the command's session at once, then whoever has left it, until nobody is left."""
    end = time.monotonic() + KILLING_S
    while time.monotonic() < end:
        for pid in [-child, *_children()]:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.005)


def _children() -> list[int]:
    """Processes whose parent this one is, by birth or by adoption."""
    own, found = os.getpid(), []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_bytes().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):
            continue  # it has ended
        if parent == own:
            found.append(int(path.parent.name))
    return found


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3:]))
