"""Rule 10: nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.addresses import step_actions
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.testing.simulation.moment import Invariant, Moment


def _nothing_is_lost(moment: Moment) -> Iterator[str]:
    runs = {_run_of(document) for _, document in moment.changed.values()} - {""}
    for id in runs:
        run = moment.run(id)
        if run is None:
            continue
        if run.status == "undoing" and run.due is None:
            yield f"run {run.id} is being undone, and nothing looks at it"
        if not run.closed and run.status != "stalled":
            yield from _frames(moment, run)
        if not run.closed:
            yield from _calls(moment, run)
    if moment.kind == "rest":
        for run in moment.of(Run):
            if not run.closed and run.status not in ("waiting", "stalled"):
                yield f"run {run.id} is {run.status}, and nothing brings it forward"


def _frames(moment: Moment, run: Run) -> Iterator[str]:
    """Whatever has not ended is looked at again, or waits for a person, or for what is looked at."""
    for frame in moment.of(Frame):
        if frame.run == run.id and frame.parked and not _is_awaited(moment, frame):
            yield f"frame {frame.id} has no due date, and no person and no call is awaited"
    if run.status == "waiting" and not any(
        action.awaits_person for action in moment.of(Action) if action.run == run.id
    ):
        yield f"run {run.id} says that it waits, and there is nobody to wait for"


def _is_awaited(moment: Moment, frame: Frame) -> bool:
    """A person, or a call or child that is looked at itself."""
    for id in step_actions(frame.id, frame.cursor.step, frame.calls):
        action, child = moment.action(id), moment.frame(frame.run, id)
        if action is not None and not action.is_ended and (action.awaits_person or action.due or child is not None):
            return True
    return False


def _calls(moment: Moment, run: Run) -> Iterator[str]:
    for _, action in moment.moves(Action):
        started = action.status == "started" and action.kind == "tool"
        if action.run == run.id and (started or action.status == "approved") and action.due is None:
            yield f"action {action.id} is {action.status}, and nothing looks at it"
        if started and (action.lease is None or (action.due is not None and action.due < action.lease.expires)):
            yield f"action {action.id} is looked at before its lease has ended"


def _taken(moment: Moment) -> Iterator[str]:
    """An ended child keeps its due date until its parent's action has taken its answer."""
    for _, frame in moment.moves(Frame):
        run, parent = moment.run(frame.run), moment.action(frame.parent)
        if not frame.ended or not frame.parent or frame.due is not None or run is None or run.closed:
            continue
        if parent is None or not parent.is_ended:
            yield f"frame {frame.id} has ended, and nothing tells {frame.parent} of it"


def _run_of(document: object) -> str:
    match document:
        case Run():
            return document.id
        case Frame() | Action():
            return document.run
        case _:
            return ""


NOTHING_IS_LOST = Invariant(
    "nothing is lost",
    "Every open run has a due date or waits for a person, and so has everything in it.",
    _nothing_is_lost,
)
CHILDREN_ARE_TAKEN = Invariant(
    "children are taken", "The end of a sub-agent stays due until its caller has taken the answer.", _taken
)
