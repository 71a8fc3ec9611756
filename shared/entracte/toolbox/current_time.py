"""What time it is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from entracte.agents.tool import tool
from entracte.errors import ToolError


@tool(effect="readonly", evaluation="It is the time of the place that was asked about.", rule={"class": "readonly"})
def current_time(
    zone: Annotated[str, Field(max_length=100, description="IANA time zone, such as Asia/Tokyo.")] = "UTC",
) -> dict[str, str]:
    """Tell date, time and weekday, in UTC or in the time zone of a place."""
    try:
        now = datetime.now(ZoneInfo(zone))
    except (KeyError, ValueError, OSError):  # unknown; a path, which ZoneInfo refuses; a folder of zones
        raise ToolError(
            f"There is no time zone {zone!r}.", remedy="Give an IANA name, such as Europe/Berlin."
        ) from None
    return {"time": now.isoformat(timespec="seconds"), "zone": zone, "weekday": f"{now:%A}"}
