"""At a run's start: what is remembered and may matter is looked up once, and shown to its root agent in every step."""

from __future__ import annotations

from entracte.core.addresses import frame_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.effects import Recall, Recalled
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation

MAX_QUERY_CHARS = 4_000


def to_recall(s: Situation, run: Run, frame: Frame, text: str) -> Recall | None:
    """What is to be looked up before the agent is asked; None where memory is off, or was looked at.

    Args:
        text: What the agent was asked.
    """
    if s.blueprint.memory is None or frame.parent or frame.recalled is not None:
        return None
    return Recall(owner=run.owner, text=text[:MAX_QUERY_CHARS])


def recalled(s: Situation, frame: Frame, result: Recalled) -> Outcome:
    """Keep what was found with the frame, so that each step, and each try of it, is shown the same."""
    after = frame.evolve(recalled=result.lines, moved=s.now, worker=s.worker)
    said = (
        f"{len(result.lines)} memories may matter here." if result.lines else "Nothing is remembered that matters here."
    )
    told = record("thought", text=result.error or said)
    move = f"{frame.cursor.step}.recall"
    return Outcome(
        puts=(Put(frame_path(frame.run, frame.id), after),),
        entry=frame_entry(s, frame, move, phase="plan", events=(told,)),
        more=True,
    )
