"""Asking again: only where the service asks for it and the time allows, and never all waiters at once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import count
from typing import TypeVar

from entracte.adapters.models.refusals import Busy

T = TypeVar("T")

MAX_BACKOFF_S = 8.0
MAX_JITTER_S = 0.5


def ask_again(ask: Callable[[float], T], *, deadline_s: float, max_retries: int) -> T:
    """Ask, and ask again while it is `Busy`.

    Args:
        ask: Takes the time (monotonic, seconds) at which it has to end.
        max_retries: Tries after the first.

    Raises:
        Whatever `ask` raises last. A wait that does not fit the deadline is not begun.
    """
    import stamina

    ends = time.monotonic() + deadline_s
    tries = count(1)

    def again(error: Exception) -> float | bool:
        wait_s = _wait_s(error, next(tries)) if isinstance(error, Busy) else None
        return wait_s if wait_s is not None and time.monotonic() + wait_s < ends else False

    return stamina.RetryingCaller(attempts=1 + max_retries, timeout=None)(again, ask, ends)


def _wait_s(error: Busy, tries: int) -> float:
    """As long as the service asks for, else up to twice as long each time; never for all waiters alike."""
    if error.retry_after_s is not None:
        return error.retry_after_s + random.uniform(0, MAX_JITTER_S)
    return random.uniform(0, min(MAX_BACKOFF_S, 2.0 ** (tries - 1)))
