"""The end of a call that is not made: denied, refused, cancelled, lapsed."""

from __future__ import annotations

from entracte.core.documents.action import Action, ActionStatus
from entracte.core.payload import error_text
from entracte.core.situation import Situation


def unmade(s: Situation, action: Action, status: ActionStatus, error: str) -> Action:
    """The action at its end.

    One that was in doubt, and is not made once more after all, may have happened: nobody is asked any more, but an undo
    still finds out by reading, or stops.
    """
    made_before = action.attempt > 0
    return action.evolve(
        status="unknown" if made_before else status,
        given_up=made_before,
        error=error_text(error),
        ended=s.now,
        due=None,
    )


def unmade_move(ended: Action) -> str:
    """Name of that move in the journal. What stays in doubt may still end, and that move has the usual name."""
    return f"{ended.attempt}.unmade" if ended.status == "unknown" else "ended"
