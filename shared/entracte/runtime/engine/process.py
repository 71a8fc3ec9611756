"""What the engine knows of the process that it runs in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct

from entracte.core.runs.retention import RETENTION

MARGIN = timedelta(seconds=30)
"""Kept from the function's timeout for recording what was done."""

LEASE_MARGIN = timedelta(seconds=60)
"""A lease outlives the function by this much, so that it never ends while its holder still works."""


class Process(Struct, frozen=True, kw_only=True):
    """The process.

    Attributes:
        worker: Its name, different for every process that ever ran.
        timeout: How long one delivery may take.
        new_token: Gives random text, new at each call.
        pause: Waits a little before trial number so-and-so of a commit.
        daily_cost_micro_usd: Most that the runs of one owner may cost a day; 0 for no cap.
        retention: How long what has closed is kept; None for ever.
    """

    worker: str
    timeout: timedelta
    new_token: Callable[[], str]
    pause: Callable[[int], None]
    daily_cost_micro_usd: int = 0
    retention: timedelta | None = RETENTION

    def kept_until(self, now: datetime) -> datetime | None:
        """When what closes now is deleted; None for never."""
        return now + self.retention if self.retention is not None else None
