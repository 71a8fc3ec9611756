"""The console script on a terminal of its own."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from dataclasses import dataclass

from tests.cli.conftest import SCRIPT, Shell

OWN_MOVES = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|[0-9]*[AKG]|[0-9]*[;0-9]*H|2K)")
"""Styles and the moves of the last lines, which rich makes."""

_PROMPT = re.compile(rb"(?:\[l\]ater|later\)|empty\)|Your answer): \Z|\[y/N\] \Z|(?:\A|[\nh])> \Z")
"""What ends a prompt of ours; that of a conversation may have a sequence of its line editor before it."""

_LONG_S = 30.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What a command did on a terminal: its exit code, and all that was written."""

    code: int
    written: str

    @property
    def text(self) -> str:
        """What was written, without styles and moves."""
        return OWN_MOVES.sub("", self.written).replace("\r\n", "\n")


def on_terminal(shell: Shell, *arguments: str, typed: str = "", columns: int = 100, **variables: str) -> Seen:
    """Run a command on a terminal of 40 lines.

    Args:
        typed: What the person types, a line at each prompt.
        variables: Of the environment.
    """
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**shell.environment, "TERM": "xterm-256color", **variables}
    with subprocess.Popen(
        [SCRIPT, *arguments], cwd=shell.folder, env=environment, stdin=its, stdout=its, stderr=its
    ) as process:
        os.close(its)
        try:
            written = _read_to_the_end(ours, [line.encode() for line in typed.splitlines(keepends=True)])
            process.wait(_LONG_S)
        except BaseException:
            process.kill()
            raise
        finally:
            os.close(ours)
    return Seen(process.returncode, written.decode())


def _read_to_the_end(terminal: int, lines: list[bytes]) -> bytes:
    """All that is written. Each line is typed when something new ends like a prompt.

    Raises:
        TimeoutError: Nothing was written for a long time: somebody waits for a line that is never typed.
    """
    written, answered = b"", 0
    until = time.monotonic() + 4 * _LONG_S
    while True:
        if time.monotonic() > until or not select.select([terminal], [], [], _LONG_S)[0]:
            raise TimeoutError(f"Nothing happens after {written.decode()[-500:]!r}")
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that nobody has the other end open any more
            return written
        if not part:
            return written
        written += part
        if lines and _PROMPT.search(written, answered):
            answered = len(written)
            os.write(terminal, lines.pop(0))
