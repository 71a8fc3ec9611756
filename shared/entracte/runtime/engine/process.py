"""What the engine knows of the process that it runs in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct

from entracte.core.documents.run import Run
from entracte.core.runs.retention import RETENTION
from entracte.errors import Conflict

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
        only_network: Name of the only network whose runs it goes on with, in a store that others use too. Empty where
            the store belongs to one deployment, whose network may be renamed under its runs.
        adopted: Runs that it goes on with although another network made them: a person has said so.
    """

    worker: str
    timeout: timedelta
    new_token: Callable[[], str]
    pause: Callable[[int], None]
    daily_cost_micro_usd: int = 0
    retention: timedelta | None = RETENTION
    only_network: str = ""
    adopted: frozenset[str] = frozenset()

    def kept_until(self, now: datetime) -> datetime | None:
        """When what closes now is deleted; None for never."""
        return now + self.retention if self.retention is not None else None

    def leaves(self, run: Run) -> bool:
        """Whether another network goes on with the run: this one has neither its tools nor its policy."""
        return self.only_network not in ("", run.network) and run.id not in self.adopted

    def check_own(self, run: Run) -> None:
        """See that this process may go on with the run.

        Raises:
            Conflict: It is another network's.
        """
        if self.leaves(run):
            raise Conflict(
                f"Run {run.id} was made by network {run.network!r}; this is {self.only_network!r}.",
                remedy="Use that network; if it has been renamed since: the command line, with --network MODULE:NAME.",
                code="other_network",
            )
