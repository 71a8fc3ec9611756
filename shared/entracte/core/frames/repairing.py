"""A reply that cannot be used: tell the model what was wrong and ask again, a bounded number of times."""

from __future__ import annotations

from entracte.core.addresses import frame_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.due import PHASE_DUE, plan_message
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.ending import end_frame
from entracte.core.modelling import FaultKind, ModelReply
from entracte.core.outcome import Outcome, Put, Situation

MAX_REPAIRS = 2
"""Unusable replies in a row before the frame gives up."""

MAX_BLOCKED = 1
"""As many that the service withheld: a filter seldom changes its mind, but a note may change the reply."""


def feedback_before(frame: Frame) -> tuple[str, ...]:
    """What the agent was told before the unusable replies in a row: each of them has added a line."""
    return frame.feedback[: len(frame.feedback) - frame.repairs]


def repair(
    s: Situation, run: Run, frame: Frame, session: Session, reply: ModelReply, fault: str, *, phase: str
) -> Outcome:
    """Record the unusable reply and have the same question asked again in a delivery of its own, or give up.

    The remedy goes by the kind of fault: the model is told in any case, and what the limit cut off gets twice the room.

    Args:
        frame: At the cursor to be tried again, with the reply's usage counted.
    """
    tries = frame.repairs + 1
    move = f"{frame.cursor.step}.{frame.cursor.phase}.repair{tries}"
    kind: FaultKind = reply.fault.kind if reply.fault is not None else "malformed"
    events = (record("error", message=f"The model's reply could not be used: {fault}", fault=kind),)
    if tries > (MAX_BLOCKED if kind == "blocked" else MAX_REPAIRS):
        error = f"The model gave {tries} replies in a row that could not be used; the last: {fault}"
        return end_frame(
            s,
            run,
            frame,
            session,
            reason="error",
            error=error,
            move=move,
            phase=phase,
            events=events,
            usage=reply.usage,
            served=reply.served,
        )
    told = f"Your last reply could not be used: {fault}"
    again = frame.evolve(
        repairs=tries,
        cut_offs=frame.cut_offs + (kind == "cut_off"),
        feedback=(*frame.feedback, told),
        moved=s.now,
        due=s.now + PHASE_DUE,
        worker=s.worker,
    )
    return Outcome(
        puts=(Put(frame_path(run.id, frame.id), again),),
        entry=frame_entry(s, frame, move, phase=phase, events=events, usage=reply.usage, served=reply.served),
        messages=(plan_message(again, step=again.cursor.step),),
    )
