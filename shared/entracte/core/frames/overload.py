"""Waiting for a model's service that is overloaded: seen in the run, and not counted against its time."""

from __future__ import annotations

from entracte.core.addresses import run_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.stalling import moving
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.situation import Situation


def wait_for_model(s: Situation, run: Run, frame: Frame, *, reason: str) -> Outcome:
    """Note since when the run waits, once; its message comes again later."""
    if run.parked is not None or run.status not in ("queued", "running") or frame.ended:
        return nothing("noted before")
    entry = frame_entry(
        s,
        frame,
        f"{frame.cursor.step}.held.{s.delivery}",
        phase=frame.cursor.phase,
        events=(record("error", message=f"Tried again later: {reason}"),),
    )
    return Outcome(puts=(Put(run_path(run.id), run.evolve(parked=s.now, updated=s.now)),), entry=entry)


def under_way(s: Situation, run: Run) -> tuple[Put, ...]:
    """The run, when the first of its phases has done something, or a model answers again."""
    if run.status == "queued" or (run.status == "running" and run.parked is not None):
        return (Put(run_path(run.id), moving(s, run)),)
    return ()
