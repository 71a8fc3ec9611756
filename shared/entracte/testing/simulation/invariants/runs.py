"""Rule 11: cancel is honoured before each effect, and closed runs stay closed."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.addresses import run_path
from entracte.core.documents.action import Action
from entracte.core.documents.journal import Entry
from entracte.core.documents.run import CLOSED, Run
from entracte.testing.simulation.moment import Invariant, Moment

_UNDO = frozenset({"undoing", "undone", "partial"})


def _honoured(moment: Moment) -> Iterator[str]:
    for before, action in moment.moves(Action):
        run = moment.run(action.run)
        if run is None or run.status not in CLOSED or run_path(run.id) in moment.changed:
            continue
        if action.status == "started" and action.attempt > (before.attempt if before is not None else 0):
            yield f"{action.tool} was started for {action.id} after the run had been {run.status}"


def _stay_closed(moment: Moment) -> Iterator[str]:
    for before, run in moment.moves(Run):
        if before is None or before.status not in CLOSED:
            continue
        if any(entry.phase == "retry" for _, entry in moment.moves(Entry)):
            continue
        if run.status != before.status and run.status not in _UNDO:
            yield f"run {run.id} was {before.status} and is {run.status} now"
        if (run.output, run.stop_reason) != (before.output, before.stop_reason):
            yield f"run {run.id} was closed, and its answer has changed"
    for _, run in moment.moves(Run):
        if run.status in CLOSED and run.expires is None:
            yield f"run {run.id} is {run.status}, and will be kept for ever"


CANCEL_IS_HONOURED = Invariant("cancel is honoured", "No call is started after its run has been closed.", _honoured)
CLOSED_RUNS_STAY_CLOSED = Invariant(
    "closed runs stay closed",
    "A closed run keeps its answer, and opens again for an undo or a retry only.",
    _stay_closed,
)
