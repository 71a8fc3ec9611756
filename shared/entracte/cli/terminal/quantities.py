"""Numbers as people read them."""

from __future__ import annotations

from datetime import datetime, timedelta


def count(number: int, noun: str) -> str:
    """``1 call``, ``1,200 calls``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def seconds(length: float) -> str:
    """``0.4 s``, ``12 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if length < 10:
        return f"{length:.1f} s"
    if round(length) < 60:
        return f"{length:.0f} s"
    minutes, rest = divmod(round(length), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def money(micro_usd: int) -> str:
    """``$0``, ``under $0.0001``, ``$0.0123``, ``$12.50``."""
    if 0 < micro_usd < 100:
        return "under $0.0001"
    dollars = micro_usd / 1_000_000
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}" if micro_usd else "$0"


def age(at: datetime, now: datetime) -> str:
    """How long ago, in one unit: ``5 s``, ``3 min``, ``2 h``, ``4 d``."""
    passed = max(now - at, timedelta())
    for unit, size in (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1))):
        if passed >= size:
            return f"{passed // size} {unit}"
    return f"{passed // timedelta(seconds=1)} s"
