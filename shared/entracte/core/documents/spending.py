"""The spending document: what the runs of one owner cost on one day."""

from __future__ import annotations

from entracte.core.documents.base import Document
from entracte.core.evolving import Evolving


class OpenRun(Evolving, frozen=True, kw_only=True):
    """A run that may still spend.

    Attributes:
        reserved_micro_usd: Most that it may still cost.
        counted_micro_usd: What it had cost when it was opened, which is counted already.
    """

    run: str
    reserved_micro_usd: int
    counted_micro_usd: int = 0


class Spending(Document, frozen=True, kw_only=True):
    """Kept only where a deployment caps what an owner may spend.

    Attributes:
        day: Of `settled_micro_usd`, as YYYY-MM-DD in UTC.
        settled_micro_usd: What runs have cost that closed and were counted on this day.
        open: Those that had not closed when they were last looked at.
    """

    owner: str
    day: str
    settled_micro_usd: int = 0
    open: tuple[OpenRun, ...] = ()
