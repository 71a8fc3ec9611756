"""Ending a frame before its agent answers: a tool or hook gave the answer, or the agent goes round in circles."""

from __future__ import annotations

from typing import Any

from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.frames.best_answer import IN_CIRCLES, best_answer
from entracte.core.frames.changing_state import ChangedState
from entracte.core.frames.ending import end_frame
from entracte.core.outcome import Outcome
from entracte.core.situation import Situation


def end_early(
    s: Situation,
    run: Run,
    changed: ChangedState,
    *,
    terminate: Any,
    looping: str,
    move: str,
    phase: str,
    again: Cursor,
) -> Outcome | None:
    """The frame's end, or None when it goes on.

    Args:
        changed: Frame and session with the step's calls taken in.
        terminate: Final answer that a tool or hook gave, or None.
        looping: Why the frame goes round in circles; empty if it does not.
        again: Where a retry goes on.
    """
    if terminate is None and not looping:
        return None
    value = terminate if terminate is not None else known_so_far(s, changed.frame, changed.session)
    return end_frame(
        s,
        run,
        changed.frame,
        changed.session,
        reason="loop" if terminate is None else "terminated",
        value=value,
        error=looping if terminate is None else "",
        move=move,
        phase=phase,
        events=changed.events,
        again=again,
    )


def known_so_far(s: Situation, frame: Frame, session: Session) -> str | None:
    """The best answer of a frame that goes round in circles; None where it knows nothing."""
    agent = s.agent(frame.agent)
    return best_answer(s.blueprint, agent, frame, session, why=IN_CIRCLES) if agent is not None else None
