"""Parking: nothing in a frame moves until a person does something, so nothing is left due."""

from __future__ import annotations

from collections.abc import Sequence

from entracte.core.addresses import action_path, frame_path, run_path
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.journal import EventRecord
from entracte.core.documents.run import Run
from entracte.core.due import parent_message
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation


def park(s: Situation, run: Run, frame: Frame, actions: Sequence[Action], children: Sequence[Frame]) -> Outcome:
    """Take the frame's due date away, and the run's at the root; below the root, tell the frame above.

    Verifies what it relied on: a call or child that moves at the same moment keeps the frame unparked.
    """
    waiting_for = [action for action in actions if action.awaits_person]
    events: tuple[EventRecord, ...] = ()
    puts = [Put(frame_path(run.id, frame.id), frame.evolve(due=None, sweeps=0, worker=s.worker))]
    if not frame.parent:
        status = "stalled" if run.status == "stalled" else "waiting"  # a person sees what has to be resumed
        waiting = run.evolve(status=status, parked=run.parked or s.now, due=None, updated=s.now)
        puts.append(Put(run_path(run.id), waiting))
        events = (record("run.waiting", actions=[action.id for action in waiting_for]),)
    return Outcome(
        puts=tuple(puts),
        verifies=(
            *(action_path(run.id, action.id) for action in actions),
            *(frame_path(run.id, child.id) for child in children),
        ),
        entry=frame_entry(s, frame, f"{frame.cursor.step}.parked.{frame.rev}", phase="execute", events=events),
        messages=parent_message(frame),
    )
