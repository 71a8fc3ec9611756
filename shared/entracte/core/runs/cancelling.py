"""Cancelling a run: one document says so, and every phase looks at it before its next effect."""

from __future__ import annotations

from entracte.core.addresses import run_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE
from entracte.core.entry import run_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put
from entracte.core.runs.using import used_so_far
from entracte.core.situation import Situation
from entracte.errors import Conflict


def cancel_run(s: Situation, run: Run, root: Frame | None) -> Outcome:
    """Close the run. Calls that were issued before end as they end, and are recorded.

    Raises:
        Conflict: The run is closed already.
    """
    if run.closed:
        raise Conflict(
            f"Run {run.id} is {run.status} already.", remedy="Nothing needs to be cancelled.", code="run_closed"
        )
    closed = run.evolve(
        status="cancelled",
        stop_reason="cancelled",
        usage=used_so_far(s.docs, root) if root is not None else run.usage,
        updated=s.now,
        due=s.now + PHASE_DUE,  # whoever cancels may die before its gates are told
        expires=s.kept_until,
        stalled=(),
    )
    entry = run_entry(
        s,
        run,
        "cancelled",
        phase="cancel",
        step=root.cursor.step if root is not None else 0,
        events=(record("run.ended", status="cancelled", stop_reason="cancelled", output=None, error=""),),
    )
    return Outcome(puts=(Put(run_path(run.id), closed),), entry=entry)
