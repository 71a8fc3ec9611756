"""The clock port."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time. The only source of it for everything that is decided or recorded."""

    def now(self) -> datetime:
        """The current time, aware, in UTC, cut to milliseconds (what all stores keep)."""
        ...
