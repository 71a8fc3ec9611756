"""Asking for an undo: one document says so. A live run is closed by the same write."""

from __future__ import annotations

from entracte.core.addresses import run_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run, Undo
from entracte.core.due import PHASE_DUE
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.runs.retention import check_kept
from entracte.core.runs.using import used_so_far
from entracte.core.situation import Situation
from entracte.core.undo.progress import entry, undo_message
from entracte.errors import Conflict


def start_undo(s: Situation, run: Run, root: Frame | None, *, by: str, to: str, replan: bool) -> Outcome:
    """Begin to take a run back.

    Raises:
        Conflict: Another undo of it is under way, or its documents are being deleted.
    """
    if run.status == "undone":
        return nothing("undone before")
    if run.status == "undoing":
        raise Conflict(
            f"Run {run.id} is being undone already.", remedy="Wait for that undo to end.", code="undo_under_way"
        )
    check_kept(s, run)
    closed = run.evolve(
        status="undoing",
        stop_reason=run.stop_reason if run.closed else "cancelled",
        usage=run.usage if run.closed or root is None else used_so_far(s.docs, root),
        undo=Undo(id=s.delivery, by=by, to=to, replan=replan),
        parked=None,
        updated=s.now,
        due=s.now + PHASE_DUE,
        expires=s.kept_until,
        stalled=(),
    )
    event = {
        "action": "",
        "tool": "",
        "how": "asked",
        "note": f"{by} asks to undo the run." + (f" Back to {to}." if to else ""),
    }
    return Outcome(
        puts=(Put(run_path(run.id), closed),),
        entry=entry(s, run, event, status="undoing"),
        messages=(undo_message(run),),
    )
