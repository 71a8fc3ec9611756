"""Documents as the JSON that API, CLI and Python callers get: one shape for all three."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from entracte.core.documents.action import Action, Reading
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import WORDS, Gate, Vote
from entracte.core.documents.journal import Entry
from entracte.core.documents.run import Run, Undo
from entracte.core.documents.session import Session, Turn
from entracte.core.events import events_of
from entracte.core.state import Drawer

if TYPE_CHECKING:
    from entracte.runtime.services.dry_run import Step


def run_json(run: Run, gates: Iterable[Gate] = ()) -> dict[str, Any]:
    """A run.

    Args:
        gates: Its gates; those that wait are shown.
    """
    output = run.output.value if run.output is not None else None
    return {
        "id": run.id,
        "status": run.status,
        "stop_reason": run.stop_reason,
        "agent": run.agent,
        "route": run.route,
        "session": run.session,
        "input": run.input.value,
        "output": output,
        "text": output if isinstance(output, str) else (run.output.text if run.output is not None else ""),
        "error": run.error,
        "gates": [gate_json(gate) for gate in gates if gate.waiting],
        "undo": _undo_json(run.undo),
        "forked_from": {"run": run.forked_from, "step": run.forked_at} if run.forked_from else None,
        "usage": asdict(run.usage) | {"tokens": run.usage.tokens},
        "models": run.models,
        "budget": asdict(run.limits),
        "metadata": run.metadata,
        "time_zone": run.time_zone,
        "network": run.network,
        "network_version": run.network_version,
        "created": _time(run.created),
        "updated": _time(run.updated),
        "expires": _time(run.expires),
    }


def _undo_json(undo: Undo | None) -> dict[str, Any] | None:
    """How far an undo has come. Actions that it reached already are named by what became of them."""
    if undo is None:
        return None
    return {
        "by": undo.by,
        "to": undo.to,
        "replan": undo.replan,
        "reverted": list(undo.reverted),
        "unverified": list(undo.unverified),
        "permanent": list(undo.permanent),
        "kept": list(undo.kept),
        "stopped": undo.stopped,
        "reason": undo.reason,
    }


def entry_json(entry: Entry) -> dict[str, Any]:
    """A journal entry."""
    return {
        "id": entry.id,
        "frame": entry.frame,
        "agent": entry.agent,
        "step": entry.step,
        "phase": entry.phase,
        "at": _time(entry.at),
        "duration_ms": entry.duration_ms,
        "usage": asdict(entry.usage),
        "served": entry.served,
        "events": [event.as_json() for event in events_of(entry)],
    }


def frame_json(frame: Frame) -> dict[str, Any]:
    """A frame, for people who want to know where it stands."""
    return {
        "id": frame.id,
        "agent": frame.agent,
        "parent": frame.parent,
        "step": frame.cursor.step,
        "phase": frame.cursor.phase,
        "stop_reason": frame.stop_reason,
        "error": frame.error,
        "state": state_json(frame.local),
        "feedback": list(frame.feedback),
        "usage": asdict(frame.usage),
        "due": _time(frame.due),
    }


def action_json(action: Action) -> dict[str, Any]:
    """An action with its arguments and result."""
    return {
        "id": action.id,
        "frame": action.frame,
        "agent": action.agent,
        "tool": action.tool,
        "kind": action.kind,
        "effect": action.effect,
        "policy_class": action.policy_class,
        "status": action.status,
        "step": action.step,
        "attempt": action.attempt,
        "arguments": action.called_with.value,
        "result": action.result.value if action.result is not None else None,
        "error": action.error,
        "warnings": list(action.warnings),
        "verdict": action.verdict,
        "verdict_note": action.verdict_note,
        "gate": action.gate,
        "snapshot": _reading_json(action.snapshot),
        "after": _reading_json(action.after),
        "inverse": _inverse_json(action),
        "started": _time(action.started),
        "ended": _time(action.ended),
    }


def gate_json(gate: Gate) -> dict[str, Any]:
    """A gate with every answer to it."""
    facts = gate.z
    return {
        "id": gate.id,
        "run": gate.run,
        "session": facts.session,
        "action": facts.action,
        "agent": facts.agent,
        "tool": facts.tool,
        "kind": facts.kind,
        "status": gate.status,
        "question": gate.question,
        "why": gate.why,
        "owner": facts.owner,
        "asked_by": gate.asked_by,
        "preview": list(gate.preview),
        "arguments": facts.arguments.value,
        "digest": facts.digest,
        "decisions": list(WORDS[facts.kind]),
        "approvers": list(facts.approvers),
        "quorum": facts.quorum,
        "four_eyes": facts.four_eyes,
        "editable": facts.editable,
        "votes": [_vote_json(vote) for vote in gate.votes],
        "created": _time(gate.created),
        "expires": _time(facts.expires),
    }


def step_json(step: Step) -> dict[str, Any]:
    """What an undo would do with one action."""
    return {
        "action": step.action.id,
        "tool": step.action.tool,
        "arguments": (step.action.effective or step.action.arguments).value,
        "fate": step.fate,
        "inverse": {"tool": step.tool, "arguments": step.arguments} if step.tool else None,
        "note": step.note,
        "shown": step.shown,
    }


def _vote_json(vote: Vote) -> dict[str, Any]:
    return {
        "by": vote.by,
        "via": vote.via,
        "decision": vote.decision,
        "reason": vote.reason,
        "edited": vote.edited,
        "refused": vote.refused,
        "note": vote.note,
        "at": _time(vote.at),
    }


def _reading_json(reading: Reading | None) -> dict[str, Any] | None:
    if reading is None:
        return None
    return {"present": reading.present, "value": reading.value.value if reading.value is not None else None}


def _inverse_json(action: Action) -> dict[str, Any] | None:
    """The call that takes the action back; without arguments where they could not be resolved."""
    inverse = action.inverse
    if inverse is None:
        return None
    arguments = inverse.arguments.value if inverse.arguments is not None else None
    return {"tool": inverse.tool, "arguments": arguments, "unresolved": inverse.unresolved}


def session_json(session: Session) -> dict[str, Any]:
    """A session without its turns."""
    return {
        "id": session.id,
        "turns": session.turns,
        "state": state_json(session.state),
        "created": _time(session.created),
        "updated": _time(session.updated),
    }


def turn_json(turn: Turn) -> dict[str, Any]:
    """One turn of a session."""
    return {"number": turn.number, "run": turn.run, "role": turn.role, "text": turn.text, "at": _time(turn.at)}


def state_json(drawers: dict[str, Drawer]) -> dict[str, list[dict[str, str]]]:
    """State as key → items."""
    return {name: [{"id": item.id, "text": item.text} for item in drawer.items] for name, drawer in drawers.items()}


def _time(at: datetime | None) -> str | None:
    return at.isoformat(timespec="milliseconds") if at is not None else None
