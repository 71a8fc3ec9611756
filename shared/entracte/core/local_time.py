"""What time it is where a run's user is."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def local_time(now: datetime, zone: str) -> datetime:
    """The time in a zone; as it came where nobody here knows the zone, which another version did, or a hand wrote."""
    try:
        return now.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # unknown; a path; a folder of zones
        return now
