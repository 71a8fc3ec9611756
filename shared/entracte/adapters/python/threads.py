"""Daemon threads that are kept for the next call. Starting one takes longer than most short tools.

`concurrent.futures` would not do: at exit it waits for its threads, and a hanging tool would keep the process alive.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

_KEPT = 16
"""Idle threads kept; more end when their call does."""


class Threads:
    """Runs each callable in a thread of its own."""

    def __init__(self) -> None:
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue(_KEPT)

    def run(self, work: Callable[[], None]) -> None:
        """Begin the work, which must not raise, and return at once."""
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            worker = _Worker(self._idle)
        worker.give(work)


class _Worker:
    def __init__(self, idle: queue.LifoQueue[_Worker]) -> None:
        self._idle = idle
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="entracte-tool", daemon=True).start()

    def give(self, work: Callable[[], None]) -> None:
        self._work.put(work)

    def _serve(self) -> None:
        while True:
            self._work.get()()
            try:
                self._idle.put_nowait(self)
            except queue.Full:
                return
