"""Stalling: a frame that cannot be brought forward is parked visibly, until somebody resumes or cancels its run."""

from __future__ import annotations

from entracte.core.addresses import frame_path, run_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put, Situation, nothing


def stall(s: Situation, run: Run, frame: Frame, *, reason: str) -> Outcome:
    """Take the frame's due date away and say why; the run waits as `stalled`.

    An ended frame is stalled too while its end has not reached its parent.
    """
    if run.closed or (frame.ended and frame.due is None):
        return nothing("ended already")
    return Outcome(
        puts=(
            Put(run_path(run.id), run.evolve(status="stalled", error=reason, updated=s.now, due=None)),
            Put(frame_path(run.id, frame.id), frame.evolve(due=None, error=frame.error if frame.ended else reason)),
        ),
        entry=frame_entry(
            s,
            frame,
            f"{frame.cursor.step}.stalled.{frame.rev}",
            phase="sweep",
            events=(record("error", message=reason),),
        ),
    )
