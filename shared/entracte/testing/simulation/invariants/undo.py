"""Rule 8: effects are taken back in the reverse of their order."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.addresses import entry_path
from entracte.core.documents.run import Run
from entracte.testing.simulation.moment import Invariant, Moment


def _newest_first(moment: Moment) -> Iterator[str]:
    for before, run in moment.moves(Run):
        undo = run.undo
        if undo is None or not undo.surveyed or (before is not None and before.undo == undo):
            continue
        places = [_place(moment, run.id, action) for action in undo.order]
        if places != sorted(places, reverse=True):
            yield f"the undo of {run.id} goes by {', '.join(undo.order)}, which is not newest first"


def _place(moment: Moment, run: str, id: str) -> int:
    """When the action's call was last started, as its place in the journal."""
    action = moment.action(id)
    path = entry_path(run, f"{id}.{max(1, action.attempt if action is not None else 1)}.started")
    return moment.journal.index(path) if path in moment.journal else -1


UNDO_IS_NEWEST_FIRST = Invariant(
    "undo is newest first", "An undo takes effects back in the reverse of the order in which they began.", _newest_first
)
