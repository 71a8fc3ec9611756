"""Which status may follow which, as a table. A test walks it."""

from __future__ import annotations

from collections.abc import Mapping

from entracte.core.documents.action import Action, ActionStatus
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame, FramePhase
from entracte.core.documents.run import Run, Status

# A retry also takes a frame from its end to where it stood before.
FRAME: Mapping[FramePhase, frozenset[FramePhase]] = {
    "route": frozenset({"route", "interpret", "plan", "execute", "ended"}),
    "interpret": frozenset({"interpret", "plan", "ended"}),
    "plan": frozenset({"plan", "execute", "ended"}),
    "execute": frozenset({"execute", "interpret", "plan", "ended"}),
    "ended": frozenset({"ended"}),
}

ACTION: Mapping[ActionStatus, frozenset[ActionStatus]] = {
    "proposed": frozenset({"proposed", "gated", "started", "applied", "failed", "blocked", "cancelled"}),
    "gated": frozenset({"gated", "approved", "denied", "expired", "applied", "cancelled", "unknown", "reverting"}),
    "approved": frozenset(
        {"approved", "gated", "started", "applied", "failed", "blocked", "cancelled", "lapsed", "unknown", "reverting"}
    ),
    "denied": frozenset({"denied"}),
    "expired": frozenset({"expired"}),
    "started": frozenset({"started", "applied", "failed", "blocked", "unknown", "reverting"}),
    "unknown": frozenset({"unknown", "approved", "applied", "failed", "blocked", "reverting"}),
    "applied": frozenset({"applied", "reverting", "reverted", "unrecoverable"}),
    "failed": frozenset({"failed"}),
    "blocked": frozenset({"blocked"}),
    "cancelled": frozenset({"cancelled"}),
    "lapsed": frozenset({"lapsed"}),
    "reverting": frozenset({"reverting", "applied", "reverted", "unrecoverable"}),
    "reverted": frozenset({"reverted"}),
    "unrecoverable": frozenset({"unrecoverable", "reverting", "reverted"}),
}

RUN: Mapping[Status, frozenset[Status]] = {
    "queued": frozenset({"queued", "running", "waiting", "stalled", "succeeded", "failed", "cancelled", "undoing"}),
    "running": frozenset({"running", "waiting", "stalled", "succeeded", "failed", "cancelled", "undoing"}),
    "waiting": frozenset({"waiting", "running", "stalled", "succeeded", "failed", "cancelled", "undoing"}),
    "stalled": frozenset({"stalled", "running", "succeeded", "failed", "cancelled", "undoing"}),
    "succeeded": frozenset({"succeeded", "undoing"}),
    "failed": frozenset({"failed", "running", "undoing"}),
    "cancelled": frozenset({"cancelled", "undoing"}),
    "undoing": frozenset({"undoing", "undone", "partial"}),
    "undone": frozenset({"undone", "partial"}),  # a call that was in doubt has happened after all
    "partial": frozenset({"partial", "undoing"}),
}


def check(before: Document | None, after: Document) -> None:
    """Raise AssertionError for a move that is not in the tables: that is a bug, never an input."""
    match before, after:
        case Run(), Run():
            allowed = after.status in RUN[before.status]
        case Frame(), Frame():
            allowed = after.cursor.phase in FRAME[before.cursor.phase] or after.retries > before.retries
        case Action(), Action():
            allowed = after.status in ACTION[before.status]
        case _:
            allowed = True
    if not allowed:
        raise AssertionError(f"no such transition: {before!r} -> {after!r}")
