"""Moving an undo on: to the next action, to its end, or to a stop."""

from __future__ import annotations

from typing import Any, Literal

from entracte.core.addresses import action_path, run_path
from entracte.core.documents.action import Action
from entracte.core.documents.journal import Entry
from entracte.core.documents.run import Run, Undo
from entracte.core.due import PHASE_DUE
from entracte.core.entry import run_entry
from entracte.core.events import record
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation
from entracte.core.undo.telling import naming

How = Literal["reverted", "unverified", "permanent", "skipped"]


def undo_message(run: Run, action: str = "") -> Message:
    """Asks for the undo's next move."""
    return Message(kind="undo", run=run.id, session=run.session, action=action)


def advance(s: Situation, run: Run, action: Action, how: How, note: str) -> Outcome:
    """This action is dealt with; the next one is, or the undo is at its end.

    Args:
        action: As it is now.
    """
    assert run.undo is not None
    undo = run.undo.evolve(next=run.undo.next + 1, **_listed(run.undo, action, how))
    return close_or_go_on(s, run, undo, {"action": action.id, "tool": action.tool, "how": how, "note": note}, action)


def stop(s: Situation, run: Run, action: Action, reason: str, **shown: Any) -> Outcome:
    """Nothing more is taken back: what comes before this one would be taken back from under it."""
    assert run.undo is not None
    if action.status == "reverting":  # the next undo looks at it again; sweep need not
        action = action.evolve(due=None)
    undo = run.undo.evolve(stopped=action.id, reason=reason, left=naming(run.undo.left, action))
    after = _ended(s, run, "partial", undo)
    event = {"action": action.id, "tool": action.tool, "how": "stopped", "note": reason, **shown}
    return Outcome(puts=_puts(s, run, after, action), entry=entry(s, run, event))


def refuse(s: Situation, run: Run, reason: str) -> Outcome:
    """Nothing is taken back at all."""
    assert run.undo is not None
    undo = run.undo.evolve(surveyed=True, stopped=run.undo.to, reason=reason)
    after = _ended(s, run, "partial", undo)
    event = {"action": run.undo.to, "tool": "", "how": "stopped", "note": reason}
    return Outcome(puts=_puts(s, run, after, None), entry=entry(s, run, event))


def give_up_undo(s: Situation, run: Run, reason: str) -> Outcome:
    """Nobody can bring it forward: it stops where it is, visibly, and can be asked for again."""
    assert run.undo is not None
    stopped = run.undo.current or run.undo.to
    action = s.docs.action(run.id, stopped)
    left = naming(run.undo.left, action) if action is not None else run.undo.left
    undo = run.undo.evolve(stopped=stopped, reason=reason, left=left)
    after = _ended(s, run, "partial", undo)
    event = {"action": stopped, "tool": "", "how": "stopped", "note": reason}
    return Outcome(puts=_puts(s, run, after, None), entry=entry(s, run, event, status="partial"))


def close_or_go_on(s: Situation, run: Run, undo: Undo, event: dict[str, Any], action: Action | None) -> Outcome:
    """Set off the next action's message, or close the undo."""
    undo = undo.evolve(sweeps=0)
    if undo.current:
        after = run.evolve(undo=undo, updated=s.now, due=s.now + PHASE_DUE)
        return Outcome(
            puts=_puts(s, run, after, action), entry=entry(s, run, event), messages=(undo_message(run, undo.current),)
        )
    whole = not undo.permanent and not undo.to and not undo.stopped
    after = _ended(s, run, "undone" if whole else "partial", undo)
    return Outcome(puts=_puts(s, run, after, action), entry=entry(s, run, event, status=after.status))


def passed_by(s: Situation, run: Run, action: Action) -> tuple[Put, ...]:
    """The run as not wholly undone, where the undo has found that a call had done nothing which has ended since.

    Whoever asks for an undo again has it taken back.
    """
    undo = run.undo
    if undo is None or run.status not in ("undoing", "undone") or action.id not in undo.order[: undo.next]:
        return ()
    reason = f"{action.tool} has been done after the undo had looked whether it had. Undo the run again."
    status = "partial" if run.status == "undone" else run.status
    told = undo.evolve(stopped=action.id, reason=reason)
    return (Put(run_path(run.id), run.evolve(status=status, undo=told, updated=s.now)),)


def entry(s: Situation, run: Run, event: dict[str, Any], *, status: str = "") -> Entry:
    """The journal entry of a move of the undo."""
    return run_entry(s, run, f"undo.{run.rev}", phase="undo", events=(record("run.undone", **event, status=status),))


def _ended(s: Situation, run: Run, status: Literal["undone", "partial"], undo: Undo) -> Run:
    """The run at the undo's end. Where the undo has closed it, sweep looks whether its gates say so."""
    due = s.now + PHASE_DUE if run.stop_reason == "cancelled" else None
    return run.evolve(status=status, undo=undo, updated=s.now, due=due)


def _puts(s: Situation, run: Run, after: Run, action: Action | None) -> tuple[Put, ...]:
    puts: tuple[Put, ...] = (Put(run_path(run.id), after),)
    if action is not None and action is not s.docs.action(run.id, action.id):
        puts = (*puts, Put(action_path(run.id, action.id), action))
    return puts


def _listed(undo: Undo, action: Action, how: How) -> dict[str, tuple[str, ...]]:
    reverted = {"reverted": (*undo.reverted, action.id), "taken_back": naming(undo.taken_back, action)}
    match how:
        case "reverted":
            return reverted
        case "unverified":
            return reverted | {"unverified": (*undo.unverified, action.id)}
        case "permanent":
            return {"permanent": (*undo.permanent, action.id), "left": naming(undo.left, action)}
        case "skipped":
            return {}
