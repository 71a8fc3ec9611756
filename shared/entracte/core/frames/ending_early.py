"""Ending a frame before its agent answers: a tool or hook gave the answer, or the agent goes round in circles."""

from __future__ import annotations

from typing import Any

from entracte.core.documents.frame import Cursor
from entracte.core.documents.run import Run
from entracte.core.frames.changing_state import ChangedState
from entracte.core.frames.ending import end_frame
from entracte.core.outcome import Outcome, Situation


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
        looping: Tool that was called the same way too often, or empty.
        again: Where a retry goes on.
    """
    if terminate is None and not looping:
        return None
    error = f"{looping} was called again and again with the same arguments and the same end."
    return end_frame(
        s,
        run,
        changed.frame,
        changed.session,
        reason="loop" if terminate is None else "terminated",
        value=terminate,
        error=error if terminate is None else "",
        move=move,
        phase=phase,
        events=changed.events,
        again=again,
    )
