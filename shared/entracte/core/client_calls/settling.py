"""Whether an MCP client's run is over: nothing of it is under way, and nobody has to decide anything."""

from __future__ import annotations

from entracte.core.addresses import action_path, frame_path, run_path
from entracte.core.client_calls.asking import still_pending
from entracte.core.client_calls.client import GRANT_LASTS
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE
from entracte.core.effects import Fetch
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.parking import park
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.payload import Payload
from entracte.core.situation import Situation


def settle(s: Situation, run: Run | None, frame: Frame, *, left: bool) -> Fetch | Outcome:
    """End the run, park it until a person has decided, or look again later.

    Args:
        left: The client is known to have left; else it has when it has asked for nothing for long.
    """
    if run is None or run.closed or frame.ended:
        return nothing("the run is closed")
    if unread := s.docs.unread(action_path(run.id, id) for id in frame.pending):
        return Fetch(unread)
    pending = s.docs.actions(run.id, still_pending(s.docs, frame))
    if not left and frame.due is not None and frame.due > s.now and not frame.sweeps:
        return nothing("the client may still be there")
    if not pending:
        return _end(s, run, frame)
    if all(action.awaits_person for action in pending):
        return nothing("parked already") if frame.parked else park(s, run, frame, pending, ())
    return _later(s, frame, pending)


def _later(s: Situation, frame: Frame, pending: tuple[Action, ...]) -> Outcome:
    """Calls are under way, or approved ones wait for their client: their own due dates see to them."""
    wait = GRANT_LASTS if any(action.status == "approved" for action in pending) else PHASE_DUE
    after = frame.evolve(pending=tuple(action.id for action in pending), due=s.now + wait, sweeps=0, worker=s.worker)
    return Outcome(
        puts=(Put(frame_path(frame.run, frame.id), after),),
        entry=frame_entry(s, frame, f"{frame.cursor.step}.kept.{frame.rev}", phase="call"),
    )


def _end(s: Situation, run: Run, frame: Frame) -> Outcome:
    calls = frame.cursor.step
    output = f"The client has left after {calls} call{'' if calls == 1 else 's'}."
    ended = frame.evolve(
        cursor=Cursor(step=calls, phase="ended"),
        pending=(),
        output=Payload.of(output),
        stop_reason="terminated",
        moved=s.now,
        due=None,
        worker=s.worker,
    )
    closed = run.evolve(
        status="succeeded",
        stop_reason="terminated",
        output=ended.output,
        updated=s.now,
        parked=None,
        due=None,
        expires=s.kept_until,
    )
    event = record("run.ended", status="succeeded", stop_reason="terminated", output=output, error="")
    return Outcome(
        puts=(Put(frame_path(run.id, frame.id), ended), Put(run_path(run.id), closed)),
        entry=frame_entry(s, frame, f"{calls}.ended", phase="call", events=(event,)),
    )
