"""Retrying a failed run: its root frame stands again where it stood before the move that ended it."""

from __future__ import annotations

from entracte.core.addresses import action_path, frame_path, run_path, session_path, step_actions
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.due import due_messages
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.moving import moved
from entracte.core.frames.repairing import feedback_before
from entracte.core.frames.spending import exhausted
from entracte.core.frames.stalling import moving
from entracte.core.outcome import Outcome, Put
from entracte.core.runs.retention import check_kept
from entracte.core.situation import Situation
from entracte.errors import Conflict


def retry_paths(run: Run, root: Frame) -> tuple[str, ...]:
    """What a retry is decided by."""
    calls = step_actions(root.id, root.cursor.step, root.calls)
    return (
        run_path(run.id),
        frame_path(run.id, root.id),
        session_path(run.session),
        *(action_path(run.id, id) for id in calls),
    )


def retry_run(s: Situation, run: Run, root: Frame, session: Session, *, by: str) -> Outcome:
    """Open a failed run again. What its calls and sub-agents have done stays done; only the failed move is made again.

    Raises:
        Conflict: It has not failed, its documents are about to be deleted, or its budget is used up.
    """
    if run.status != "failed":
        remedy = {
            "stalled": "A stalled run goes on with resume.",
            "cancelled": "Fork it: a new run begins at a step of it.",
        }.get(run.status, "Only failed runs are retried.")
        raise Conflict(f"Run {run.id} is {run.status}, not failed.", remedy=remedy, code="not_failed")
    check_kept(s, run)
    cursor = root.again or Cursor(step=max(1, root.cursor.step), phase="plan")
    frame = moved(
        s,
        root,
        cursor=cursor,
        calls=root.calls if cursor.phase == "execute" else 0,
        again=None,
        retries=root.retries + 1,
        output=None,
        stop_reason="",
        error="",
        repeats={},
        idle=0,
        planned=None,
        feedback=feedback_before(root),
        repairs=0,
    )
    again = moving(s, run.evolve(parked=run.updated)).evolve(stop_reason="", error="", output=None, expires=None)
    if limit := exhausted(s, again, frame):
        raise Conflict(
            f"The budget of run {run.id} is used up: {limit}.",
            remedy="Fork it at the step where it ended: a fork has a budget of its own.",
            code="budget_used_up",
        )
    actions = s.docs.actions(run.id, step_actions(frame.id, cursor.step, frame.calls))
    return Outcome(
        puts=(
            Put(run_path(run.id), again),
            Put(frame_path(run.id, frame.id), frame),
            *_without_failure(session, root),
        ),
        entry=frame_entry(
            s,
            frame,
            f"{cursor.step}.retried",
            phase="retry",
            events=(record("run.resumed", how="retry", by=by, frames=[frame.id]),),
        ),
        messages=due_messages(frame, actions, {}, light=s.blueprint.is_light(frame.agent), now=s.now),
    )


def _without_failure(session: Session, root: Frame) -> tuple[Put, ...]:
    """The conversation without the line that says that the run failed: it is not part of what was said."""
    last = session.window[-1] if session.window else None
    if last is None or last.role != "assistant" or last.text != f"({root.error or root.stop_reason})":
        return ()
    return (Put(session_path(session.id), session.evolve(window=session.window[:-1])),)
