"""A reply that cannot be used: tell the model what was wrong and ask again, a bounded number of times."""

from __future__ import annotations

from entracte.core.addresses import frame_path
from entracte.core.documents.frame import MAX_CUT_OFFS, Frame
from entracte.core.documents.journal import EventRecord
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.due import plan_message
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.ending import end_frame
from entracte.core.frames.moving import moved
from entracte.core.messages import Message
from entracte.core.modelling import FaultKind, ModelReply
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation

MAX_REPAIRS = 2
"""Unusable replies in a row before the frame gives up."""

MAX_BLOCKED = 1
"""As many that the service withheld: a filter seldom changes its mind, but a note may change the reply."""


def feedback_before(frame: Frame) -> tuple[str, ...]:
    """What the agent was told before the unusable replies in a row: each of them has added a line."""
    return frame.feedback[: len(frame.feedback) - frame.repairs]


def kind_of(reply: ModelReply) -> FaultKind:
    """Kind of the reply's fault; one that only we found is a wrong shape."""
    return reply.fault.kind if reply.fault is not None else "malformed"


def fault_event(reply: ModelReply, fault: str) -> EventRecord:
    """What the journal keeps of an unusable reply."""
    return record("error", message=f"The model's reply could not be used: {fault}", fault=kind_of(reply))


def repair(s: Situation, run: Run, frame: Frame, session: Session, reply: ModelReply, fault: str) -> Outcome:
    """Have plan's question asked again, or give the frame up.

    Args:
        frame: At the cursor to be tried again, with the reply's usage counted.
    """
    message = plan_message(frame, step=frame.cursor.step)
    if (again := ask_again(s, frame, reply, fault, message)) is not None:
        return again
    return end_frame(
        s,
        run,
        frame,
        session,
        reason="error",
        error=f"The model gave {frame.repairs + 1} replies in a row that could not be used; the last: {fault}",
        move=_move(frame, message),
        phase="plan",
        events=(fault_event(reply, fault),),
        usage=reply.usage,
        served=reply.served,
    )


def ask_again(s: Situation, frame: Frame, reply: ModelReply, fault: str, message: Message) -> Outcome | None:
    """Tell the model what was wrong, in a delivery of its own; None when it was told so often enough.

    What the limit cut off gets twice the room.

    Args:
        message: Has the same question asked.
    """
    if frame.repairs >= (MAX_BLOCKED if kind_of(reply) == "blocked" else MAX_REPAIRS):
        return None
    again = moved(
        s,
        frame,
        repairs=frame.repairs + 1,
        cut_offs=min(frame.cut_offs + (kind_of(reply) == "cut_off"), MAX_CUT_OFFS),
        feedback=(*frame.feedback, f"Your last reply could not be used: {fault}"),
    )
    events = (fault_event(reply, fault),)
    move, phase = _move(frame, message), message.kind
    return Outcome(
        puts=(Put(frame_path(frame.run, frame.id), again),),
        entry=frame_entry(s, frame, move, phase=phase, events=events, usage=reply.usage, served=reply.served),
        messages=(message,),
    )


def _move(frame: Frame, message: Message) -> str:
    what = message.kind if message.kind == "evaluate" else frame.cursor.phase
    return f"{frame.cursor.step}.{what}.repair{frame.repairs + 1}"
