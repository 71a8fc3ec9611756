"""Ending a frame: the run ends with its root frame, a child's end goes to the action that opened it."""

from __future__ import annotations

from typing import Any

from entracte.core.addresses import frame_path, run_path, session_path, turn_path
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.journal import EventRecord
from entracte.core.documents.run import Run, Status, StopReason
from entracte.core.documents.session import Session, Turn
from entracte.core.due import PHASE_DUE, after_answer, parent_message
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.modelling import Usage
from entracte.core.outcome import Outcome, Put
from entracte.core.payload import Payload, error_text
from entracte.core.situation import Situation


def end_frame(
    s: Situation,
    run: Run,
    frame: Frame,
    session: Session,
    *,
    reason: StopReason,
    value: Any = None,
    error: str = "",
    move: str,
    phase: str,
    events: tuple[EventRecord, ...] = (),
    usage: Usage | None = None,
    served: str = "",
    extra: tuple[Put, ...] = (),
    again: Cursor | None = None,
) -> Outcome:
    """The frame's last move.

    Args:
        frame: As it is with this move's usage counted.
        session: As it is with this move's state changes applied.
        value: Final value, or None when there is none.
        extra: What the move writes besides frame, run, session and turn.
        again: Where a retry goes on, if not where the frame stands: the step's calls have been taken in.
    """
    output, error = Payload.of(value) if value is not None else None, error_text(error)
    ended = frame.evolve(
        cursor=Cursor(step=frame.cursor.step, phase="ended"),
        output=output,
        stop_reason=reason,
        error=error,
        moved=s.now,
        due=s.now + PHASE_DUE if frame.parent else None,
        worker=s.worker,
        again=(again or frame.cursor) if output is None else None,
    )
    puts = (Put(frame_path(run.id, frame.id), ended), *extra)
    messages = parent_message(frame)
    if frame.parent:
        if session is not s.docs.session(session.id):
            puts = (*puts, Put(session_path(session.id), session))
    else:
        text = _said(ended, value)
        session = session.with_turn("assistant", text, s.now, ended.trail)
        puts = (*puts, *_end_run(s, run, ended, session, text))
        messages = after_answer(session, run.id, remembers=_is_remembered(s, ended))
        events = (*events, record("run.ended", status=_status(ended), stop_reason=reason, output=value, error=error))
    return Outcome(
        puts=puts,
        entry=frame_entry(s, frame, move, phase=phase, events=events, usage=usage, served=served),
        messages=messages,
    )


def _said(root: Frame, value: Any) -> str:
    """The run's end as the conversation has it."""
    if isinstance(value, str):
        return value
    return root.output.text if root.output else f"({root.error or root.stop_reason})"


def _end_run(s: Situation, run: Run, root: Frame, session: Session, text: str) -> tuple[Put, ...]:
    closed = run.evolve(
        status=_status(root),
        stop_reason=root.stop_reason,
        output=root.output,
        error=root.error,
        usage=root.usage,
        updated=s.now,
        due=s.now + PHASE_DUE if _is_remembered(s, root) else None,
        expires=s.kept_until,
        stalled=(),
    )
    turn = Turn.of(session, run=run.id, role="assistant", text=text, now=s.now, did=root.trail)
    return (
        Put(run_path(run.id), closed),
        Put(session_path(session.id), session),
        Put(turn_path(session.id, session.turns), turn),
    )


def _is_remembered(s: Situation, root: Frame) -> bool:
    """Whether it is to be decided what to keep of the run."""
    return s.blueprint.memory is not None and root.output is not None


def _status(root: Frame) -> Status:
    return "failed" if root.output is None else "succeeded"
