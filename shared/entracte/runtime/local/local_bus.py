"""The in-process bus: a queue, a few threads, and retries with growing pauses."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable, Sequence

from entracte.core.messages import AFTERWARDS, Message
from entracte.errors import AmbiguousCommit, RetryableError, StoreUnavailable, TerminalError
from entracte.runtime.engine.giving_up import reason_of

log = logging.getLogger("entracte")

RETRY_PAUSES_S = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0)
"""Pause before each further delivery of a message that came back, and before all that follow."""

MAX_DELIVERIES = 100
"""Of a message that asked to come later, such as while a model is overloaded: as many as in Google Cloud; 3 hours."""

MAX_FAULTY_DELIVERIES = 7
"""Of one whose handler has a bug, or whose store fails, as on a full disk: whoever mends it does not want to wait."""


class LocalBus:
    """Bus port within one process. What it holds is lost with the process; documents carry `due` for that.

    Args:
        threads: Messages handled at once.
    """

    def __init__(self, threads: int = 8) -> None:
        self._handle: Callable[[Message], object] = _not_attached
        self._give_up: Callable[[Message, BaseException], object] = _log_lost
        self._queue: list[tuple[float, int, int, Message]] = []
        self._order = itertools.count()
        lock = threading.Lock()
        self._ready = threading.Condition(lock)  # two conditions, so that no waiter swallows a worker's wake-up
        self._ended = threading.Condition(lock)
        self._running = 0
        self._running_afterwards = 0
        self._handled = 0
        self._closed = False
        self._threads = [threading.Thread(target=self._work, name=f"entracte-{n}", daemon=True) for n in range(threads)]
        self._started = False

    def attach(self, handle: Callable[[Message], object], give_up: Callable[[Message, BaseException], object]) -> None:
        """Say who handles messages, and who is told of those that could not be handled."""
        self._handle, self._give_up = handle, give_up

    def publish(self, messages: Sequence[Message]) -> None:
        with self._ready:
            if self._closed:
                return  # whatever is published now is due in the documents, and picked up by the next process
            if not self._started:
                self._started = True
                for thread in self._threads:
                    thread.start()
            for message in messages:
                heapq.heappush(self._queue, (0.0, next(self._order), 0, message))
            # Whoever publishes while handling takes one of them next: to wake another thread for it costs more.
            mine = 1 if threading.current_thread() in self._threads else 0
            self._ready.notify(len(messages) - mine)

    @property
    def handled(self) -> int:
        """Deliveries that have ended so far."""
        return self._handled

    def wait_quiet(self, handled: int, timeout_s: float) -> None:
        """Return when more than `handled` deliveries have ended and none is left to wait for, or after the time.

        A run that this bus drives ends or parks at such a moment; looking at it more often would slow it down.
        """
        with self._ended:
            self._ended.wait_for(lambda: self._closed or (self._handled > handled and self._quiet()), timeout_s)

    def wait_idle(self, timeout_s: float) -> bool:
        """Whether everything published, retries included, was handled within the time."""
        with self._ended:
            return self._ended.wait_for(self._idle, timeout_s)

    def wait_afterwards(self, timeout_s: float) -> bool:
        """Whether what is done after answers was done within the time, whatever else waits for its next try."""
        with self._ended:
            return self._ended.wait_for(lambda: not self._afterwards(), timeout_s)

    def close(self) -> None:
        """Let the deliveries under way end, and leave the rest to the documents."""
        with self._ready:
            self._closed = True
            self._queue.clear()
            self._ready.notify_all()
            self._ended.notify_all()
        for thread in self._threads if self._started else ():
            if thread is not threading.current_thread():
                thread.join(timeout=10)

    def _idle(self) -> bool:
        return not self._queue and not self._running

    def _afterwards(self) -> bool:
        return bool(self._running_afterwards) or any(m.kind in AFTERWARDS for *_, m in self._queue)

    def _quiet(self) -> bool:
        """Nothing is left but what is done after answers."""
        return self._running == self._running_afterwards and all(m.kind in AFTERWARDS for *_, m in self._queue)

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            tries, message = taken
            try:
                self._handle(message)
            except (StoreUnavailable, AmbiguousCommit) as error:
                self._again(message, tries, error, most=MAX_FAULTY_DELIVERIES)
            except RetryableError as error:
                self._again(message, tries, error, most=MAX_DELIVERIES)
            except TerminalError as error:
                log.error("message_refused kind=%s run_id=%s %s", message.kind, message.run, error)
            except BaseException as error:  # a hook that exits must not take the worker with it
                log.exception("message_failed kind=%s run_id=%s", message.kind, message.run)
                self._again(message, tries, error, most=MAX_FAULTY_DELIVERIES)
            with self._ended:
                self._running -= 1
                self._running_afterwards -= message.kind in AFTERWARDS
                self._handled += 1
                if message.kind in AFTERWARDS or self._quiet():
                    self._ended.notify_all()

    def _take(self) -> tuple[int, Message] | None:
        with self._ready:
            while not self._closed:
                now = time.monotonic()
                if self._queue and self._queue[0][0] <= now:
                    _, _, tries, message = heapq.heappop(self._queue)
                    self._running += 1
                    self._running_afterwards += message.kind in AFTERWARDS
                    return tries, message
                self._ready.wait(self._queue[0][0] - now if self._queue else None)
            return None

    def _again(self, message: Message, tries: int, error: BaseException, *, most: int) -> None:
        if tries + 1 >= most:
            try:
                self._give_up(message, error)
            except Exception:  # the store that could not be reached is likely the reason for giving up
                log.exception("message_given_up kind=%s run_id=%s", message.kind, message.run)
            return
        level = logging.INFO if getattr(error, "code", "") == "just_moved" else logging.WARNING  # a twin, no trouble
        words = "message_again kind=%s run_id=%s attempt=%s %s"
        log.log(level, words, message.kind, message.run, tries + 1, reason_of(error))
        with self._ready:
            if not self._closed:
                at = time.monotonic() + RETRY_PAUSES_S[: tries + 1][-1]
                heapq.heappush(self._queue, (at, next(self._order), tries + 1, message))
                self._ready.notify()


def _not_attached(message: Message) -> None:
    raise AssertionError(f"nobody handles {message}")


def _log_lost(message: Message, error: BaseException) -> None:
    log.error("message_given_up kind=%s run_id=%s %s", message.kind, message.run, error)
