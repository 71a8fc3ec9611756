"""Hearing of what happens in this process, while somebody listens."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from entracte.core.events import Event


class Heard:
    """What was heard of one run and not taken yet."""

    def __init__(self) -> None:
        self.queue: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def pieces(self) -> Iterator[dict[str, Any]]:
        """Pieces of text that have come already."""
        while True:
            try:
                event = self.queue.get_nowait()
            except queue.Empty:
                return
            if event.type == "model.delta":
                yield event.as_json()

    def until_news(self, timeout_s: float) -> Iterator[dict[str, Any]]:
        """Pieces of text as they come, until something else has happened or the time is over."""
        until = time.monotonic() + timeout_s
        while (left := until - time.monotonic()) > 0:
            try:
                event = self.queue.get(timeout=left)
            except queue.Empty:
                return
            if event.type != "model.delta":
                return
            yield event.as_json()


class Listening:
    """An observer that passes on what happens to those who listen to a run just now."""

    def __init__(self) -> None:
        self._heard: tuple[tuple[str, Heard], ...] = ()  # replaced, never changed: others may be passing something on
        self._changing = threading.Lock()

    @property
    def deltas(self) -> bool:
        """Models are asked for streams only while somebody listens."""
        return bool(self._heard)

    def on_event(self, event: Event) -> None:
        """Pass it on."""
        for run, heard in self._heard:
            if run == event.run_id:
                heard.queue.put(event)

    @contextmanager
    def to(self, run: str) -> Iterator[Heard]:
        """Within the block, hear of that run."""
        one = (run, Heard())
        with self._changing:
            self._heard = (*self._heard, one)
        try:
            yield one[1]
        finally:
            with self._changing:
                self._heard = tuple(other for other in self._heard if other is not one)
