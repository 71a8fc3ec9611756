"""Running one command within limits of time, output and memory."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from msgspec import Struct

_SUPERVISOR = Path(__file__).with_name("supervisor.py")

FLOOD_FACTOR = 100
"""A command may say so many times what is kept of it; then it is killed."""

ENDING_S = 10.0
"""How long its supervisor may take to kill everything, before it is killed itself."""


class Bounds(Struct, frozen=True, kw_only=True):
    """What a command may use.

    Attributes:
        output_bytes: Of each stream that are kept, half of them from its end.
        memory_bytes: Of address space, for each process.
        file_bytes: Of each file that it writes.
    """

    timeout_s: float = 30
    output_bytes: int = 20_000
    memory_bytes: int = 1_000_000_000
    file_bytes: int = 100_000_000

    @property
    def limits(self) -> dict[str, int]:
        """As setrlimit(2) names them."""
        return {
            "RLIMIT_AS": self.memory_bytes,
            "RLIMIT_CORE": 0,
            "RLIMIT_CPU": int(self.timeout_s) + 1,
            "RLIMIT_FSIZE": self.file_bytes,
        }


class Ran(Struct, frozen=True, kw_only=True):
    """How a command ended.

    Attributes:
        exit_code: 128 and the signal's number where a signal ended it.
        killed: Why it was; empty when it ended by itself.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    killed: str


class _Kept:
    """Beginning and end of a stream."""

    def __init__(self, size: int) -> None:
        self._half = max(1, size // 2)
        self._head, self._tail = bytearray(), bytearray()
        self.said = 0

    def take(self, piece: bytes) -> None:
        self.said += len(piece)
        room = self._half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        del self._tail[: -self._half]

    def shown(self) -> bytes:
        left_out = self.said - len(self._head) - len(self._tail)
        between = f"\n… {left_out:,} bytes …\n".encode() if left_out else b""
        return bytes(self._head) + between + bytes(self._tail)


def run(program: str, argv: Sequence[str], *, folder: Path, env: Mapping[str, str], bounds: Bounds) -> Ran:
    """Run it to its end, or to the end of what it may use; none of its descendants is left.

    Raises:
        OSError: It could not be started.
    """
    ends = time.monotonic() + bounds.timeout_s
    supervised = [sys.executable, "-I", "-S", str(_SUPERVISOR), json.dumps(bounds.limits), program, *argv]
    with subprocess.Popen(
        supervised,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=dict(env),
        start_new_session=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        kept = {process.stdout: _Kept(bounds.output_bytes), process.stderr: _Kept(bounds.output_bytes)}
        try:
            killed = _listen(kept, ends, bounds)
        finally:
            process.stdin.close()  # the lifeline: whatever is still there is killed
            _end(process)
    out, err = kept.values()
    return Ran(exit_code=process.returncode, stdout=out.shown(), stderr=err.shown(), killed=killed)


def _listen(kept: Mapping[IO[bytes], _Kept], ends: float, bounds: Bounds) -> str:
    """Take what it says until both streams have closed. Why it has to be killed, or an empty string."""
    most = bounds.output_bytes * FLOOD_FACTOR
    with selectors.DefaultSelector() as streams:
        for stream in kept:
            streams.register(stream, selectors.EVENT_READ)
        while streams.get_map():
            if (left := ends - time.monotonic()) <= 0:
                return f"It did not end within {bounds.timeout_s:g} s."
            for key, _ in streams.select(left):
                stream = next(s for s in kept if s is key.fileobj)
                if piece := os.read(stream.fileno(), 65536):
                    kept[stream].take(piece)
                else:
                    streams.unregister(stream)
            if sum(stream.said for stream in kept.values()) > most:
                return f"It said more than {most:,} bytes."
    return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for the supervisor, which is killing; if it cannot, kill it."""
    try:
        process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
