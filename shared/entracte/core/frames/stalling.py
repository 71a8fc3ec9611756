"""Stalling: a frame that cannot be brought forward is parked visibly, until somebody resumes or cancels its run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from entracte.core.addresses import frame_path, frames_around, run_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE
from entracte.core.effects import Fetch
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.payload import error_text
from entracte.core.situation import Situation


def stall(s: Situation, run: Run, frame: Frame, *, reason: str) -> Outcome:
    """Take the frame's due date away and say why; the run waits as `stalled`.

    An ended frame is stalled too while its end has not reached its parent.
    """
    if run.closed or (frame.ended and frame.due is None):
        return nothing("ended already")
    reason = error_text(reason)
    stalled = run.evolve(
        status="stalled",
        error=reason,
        stalled=tuple(dict.fromkeys((*run.stalled, frame.id))),
        parked=run.parked or s.now,
        updated=s.now,
        due=None,
    )
    return Outcome(
        puts=(
            Put(run_path(run.id), stalled),
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


def revive_late(s: Situation, run: Run, frame: Frame) -> Fetch | Outcome:
    """A message has come for a stalled frame after all: it moves again, and the message is looked at afresh."""
    if unread := s.docs.unread(frame_path(run.id, id) for id in frames_around(frame.id)):
        return Fetch(unread)
    event = record("run.resumed", how="message", by="", frames=[frame.id])
    return Outcome(
        puts=revived(s, run, (frame.id,)),
        entry=frame_entry(s, frame, f"{frame.cursor.step}.revived.{frame.rev}", phase="plan", events=(event,)),
        more=True,
    )


def revived(s: Situation, run: Run, ids: Sequence[str]) -> tuple[Put, ...]:
    """Stalled frames with due dates, those around them too, and the run, which moves once none of it stalls."""
    puts: dict[str, Frame] = {}
    around = (outer for frame_id in ids for outer in frames_around(frame_id))
    for id in dict.fromkeys((*ids, *around)):
        frame = s.docs.frame(run.id, id)
        if frame is None or (id not in ids and (id in run.stalled or not frame.parked)):
            continue
        puts[id] = frame.evolve(due=s.now + PHASE_DUE, sweeps=0, error=frame.error if frame.ended else "")
    return (
        *(Put(frame_path(run.id, id), frame) for id, frame in puts.items()),
        Put(run_path(run.id), without(s, run, ids)),
    )


def without(s: Situation, run: Run, frames: Sequence[str]) -> Run:
    """The run without these among its stalled frames. Time spent stalled does not count against its budget."""
    left = tuple(id for id in run.stalled if id not in frames)
    if left or run.status != "stalled":
        return run.evolve(stalled=left, updated=s.now)
    return moving(s, run).evolve(stalled=(), error="")


def moving(s: Situation, run: Run) -> Run:
    """The run as it moves again after it has waited."""
    waited = s.now - run.parked if run.parked is not None else timedelta()
    parked_ms = run.parked_ms + int(waited.total_seconds() * 1000)
    return run.evolve(status="running", parked=None, parked_ms=parked_ms, updated=s.now)
