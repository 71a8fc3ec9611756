"""Keeping an owner's runs within a daily cap. Pure.

A run that is opened reserves all that its budget lets it cost; once it has closed, what it did cost takes the place of
that. So the cap holds whatever runs at the same time, but for model calls in flight, which may exceed a run's budget.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from entracte.core.addresses import run_path
from entracte.core.documents.run import Run
from entracte.core.documents.spending import OpenRun, Spending
from entracte.core.situation import Docs
from entracte.errors import RateLimited

MAX_OPEN = 200
"""Runs of one owner that may be open at a time: each is looked at when the next one is started."""


def charged(before: Spending, opened: Run, *, docs: Docs, cap_micro_usd: int, now: datetime) -> Spending:
    """The owner's spending once a run is opened.

    Args:
        opened: The run as it will be written.
        docs: With the runs that were open. Those that were not read count with all that they may cost.

    Raises:
        RateLimited: It could bring them above the cap, or too many are open.
    """
    today = _settled(before, docs, now)
    others = tuple(entry for entry in today.open if entry.run != opened.id)
    cost = opened.usage.cost_micro_usd
    entry = OpenRun(
        run=opened.id, reserved_micro_usd=max(0, opened.limits.cost_micro_usd - cost), counted_micro_usd=cost
    )
    left = cap_micro_usd - today.settled_micro_usd - sum(other.reserved_micro_usd for other in others)
    if entry.reserved_micro_usd > left:
        raise RateLimited(
            f"{opened.owner} may spend {_usd(cap_micro_usd)} a day. {_usd(max(0, left))} is left of it: "
            f"{_usd(today.settled_micro_usd)} is spent, and {len(others)} open runs may still spend the rest.",
            remedy=f"This run may cost {_usd(entry.reserved_micro_usd)}: give it a smaller budget.cost_micro_usd, "
            "cancel a run that waits, or try again tomorrow (UTC).",
            code="spending_cap",
            retry_after_s=_until_tomorrow_s(now),
        )
    if len(others) >= MAX_OPEN:
        raise RateLimited(
            f"{opened.owner} has {len(others)} open runs, which is the most there may be.",
            remedy="Cancel those that are not needed.",
            code="too_many_open_runs",
            retry_after_s=60,
        )
    return today.evolve(open=(*others, entry))


def _settled(before: Spending, docs: Docs, now: datetime) -> Spending:
    """With what has closed by now counted, on the day it is now."""
    day = now.date().isoformat()
    settled = before.settled_micro_usd if before.day == day else 0
    still_open = []
    for entry in before.open:
        run = docs.run(entry.run)
        if run is not None and run.closed:
            settled += max(0, run.usage.cost_micro_usd - entry.counted_micro_usd)
        elif run is not None or run_path(entry.run) not in docs.asked:
            still_open.append(entry)
    return before.evolve(day=day, settled_micro_usd=settled, open=tuple(still_open))


def _until_tomorrow_s(now: datetime) -> int:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return int((midnight - now).total_seconds()) + 1


def _usd(micro_usd: int) -> str:
    return f"{micro_usd / 1_000_000:.2f} USD"
