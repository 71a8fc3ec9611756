"""Waiting for a run on behalf of a client that asked to."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import anyio
from msgspec import Struct
from starlette.concurrency import run_in_threadpool

from entracte.core.documents.run import Run

MAX_WAIT_S = 60.0

FIRST_PAUSE_S = 0.05
LAST_PAUSE_S = 0.5
GROWTH = 1.5


def is_settled(run: Run) -> bool:
    """It has ended, and nothing is being taken back."""
    return run.closed and run.status != "undoing"


class Patience(Struct, frozen=True):
    """Looks at a run again and again. Holds a thread only while it reads, so that many clients can wait at once.

    Attributes:
        now: Seconds of a clock that never goes back.
        sleep: Waits so many seconds.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep

    async def wait(self, read: Callable[[], Run], wait_s: float, *, gone: Callable[[], Awaitable[bool]]) -> Run:
        """The run once it is settled or awaits a person, or as it is after `wait_s` seconds, at most `MAX_WAIT_S`.

        Args:
            read: Reads the run.
            gone: Whether the client has gone away; nobody is waited for then.
        """
        until = self.now() + min(wait_s, MAX_WAIT_S)
        pause = FIRST_PAUSE_S
        while True:
            run = await run_in_threadpool(read)
            left = until - self.now()
            if is_settled(run) or run.status in ("waiting", "stalled") or left <= 0 or await gone():
                return run
            await self.sleep(min(pause, left))
            pause = min(pause * GROWTH, LAST_PAUSE_S)
