"""What a started server writes to its standard error: kept short, for the message of an error."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Collection
from types import TracebackType
from typing import TextIO

_KEPT_LINES = 20
_LINE_CHARS = 300


class Stderr:
    """A pipe that a process writes to, and the last lines of what it wrote.

    Args:
        secrets: Texts that are blotted out.
    """

    def __init__(self, secrets: Collection[str] = ()) -> None:
        self._secrets = sorted((s for s in secrets if len(s) >= 4), key=len, reverse=True)
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        read, write = os.pipe()
        self.file: TextIO = os.fdopen(write, "w")
        self._reader = threading.Thread(target=self._read, args=(read,), name="entracte-mcp-stderr", daemon=True)
        self._reader.start()

    def told(self) -> str:
        """The last lines as one text, or an empty one. Waits a moment for a process that has just died."""
        self.file.close()
        self._reader.join(0.5)
        return "\n".join(self._lines)

    def __enter__(self) -> Stderr:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "r", errors="replace") as pipe:
            while line := pipe.readline(64 * 1024):
                for secret in self._secrets:
                    line = line.replace(secret, "•••")
                self._lines.append(line.rstrip()[:_LINE_CHARS])
