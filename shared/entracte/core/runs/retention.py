"""How long a closed run is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from entracte.errors import Conflict

if TYPE_CHECKING:  # settings need the number alone
    from entracte.core.documents.run import Run
    from entracte.core.situation import Situation

RETENTION = timedelta(days=30)
"""How long it is kept unless the deployment says otherwise."""


def check_kept(s: Situation, run: Run) -> None:
    """Refuse what needs a run's documents once retention may be deleting them.

    Raises:
        Conflict: Its time is over.
    """
    if run.expires is not None and run.expires <= s.now:
        raise Conflict(
            f"Run {run.id} was kept until {run.expires:%Y-%m-%d %H:%M} UTC and is being deleted.",
            remedy="Start a new run.",
            code="run_expired",
        )
