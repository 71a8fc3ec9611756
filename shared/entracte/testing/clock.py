"""A clock that stands still until it is told to move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Clock port for tests."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, 9, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, **by: float) -> None:
        """Move on by so many ``seconds=``, ``minutes=``, ``days=``."""
        self._now += timedelta(**by)
