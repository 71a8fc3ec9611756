"""The computer's clock."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Clock port on the system time."""

    def now(self) -> datetime:
        now = datetime.now(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)
