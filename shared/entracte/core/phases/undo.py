"""undo: walk a run's effects backwards, newest first, one message per action.

Each is looked at before it is touched: what it changed must be as the call left it. Then the reversal is claimed (lease
and idempotency key) and the inverse is called. What cannot be undone is reported and stepped over; what nobody can be
sure of stops the walk, because what lies before would be taken back from under it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from entracte.core.actions.recording import call_of
from entracte.core.addresses import action_path, run_path
from entracte.core.calls import Call, Record, ToolOutcome
from entracte.core.documents.action import Action, Inverse, Lease, Reading, Reversal
from entracte.core.documents.run import Run
from entracte.core.messages import Message
from entracte.core.outcome import MakeCall, Outcome, Put, ReadRecord, Situation, Survey, Surveyed, nothing
from entracte.core.policy.calling import says_absent
from entracte.core.policy.rule import Rule
from entracte.core.undo.drift import same
from entracte.core.undo.inverses import inverse_for
from entracte.core.undo.progress import advance, close_or_go_on, entry, refuse, stop, undo_message
from entracte.errors import RetryableError

Effect = Survey | ReadRecord | MakeCall


def paths(message: Message) -> tuple[str, ...]:
    """What an undo message is decided by."""
    return (run_path(message.run), *([action_path(message.run, message.action)] if message.action else []))


def decide(s: Situation, message: Message) -> Effect | Outcome:
    """Find out what there is to undo, or deal with the action that is next."""
    run = s.docs.run(message.run)
    if run is None or run.status != "undoing" or run.undo is None:
        return nothing("nothing is being undone")
    if not run.undo.surveyed:
        return Survey(run.id)
    if message.action != run.undo.current:
        return Outcome(messages=(undo_message(run, run.undo.current),)) if not message.action else nothing("moved on")
    action = s.docs.action(run.id, message.action)
    if action is None:
        return nothing("the action is not there")
    return _next(s, run, action)


def conclude(s: Situation, message: Message, effect: Effect, result: Surveyed | Record | ToolOutcome) -> Outcome:
    """Set the order, compare and claim, or record how the inverse ended."""
    run = s.docs.run(message.run)
    if run is None or run.status != "undoing" or run.undo is None:
        return nothing("the undo has ended")
    if isinstance(result, Surveyed):
        return _ordered(s, run, result.actions)
    action = s.docs.action(run.id, message.action)
    if action is None or message.action != run.undo.current:
        return nothing("dealt with by another delivery")
    rule = _rule(s, action)
    match result:
        case Record():
            return _compared(s, run, action, rule, result)
        case ToolOutcome():
            return _reverted(s, run, action, rule, result)


def _ordered(s: Situation, run: Run, actions: tuple[Action, ...]) -> Outcome:
    """Fix the order, once nothing is in flight any more."""
    assert run.undo is not None
    if run.undo.surveyed:
        return nothing("surveyed by another delivery")
    flying = [a for a in actions if a.status == "started" and a.lease is not None and a.lease.expires > s.now]
    if flying:
        raise RetryableError(f"{flying[0].tool} is still under way.", code="in_flight")
    newest_first = tuple(reversed(actions))
    cut = len(newest_first)
    if run.undo.to:
        found = [place for place, action in enumerate(newest_first, 1) if action.id == run.undo.to]
        if not found:
            return refuse(s, run, f"{run.undo.to} has had no effect.")
        cut = found[0]
    order, kept = ([a.id for a in some if a.status != "reverted"] for some in (newest_first[:cut], newest_first[cut:]))
    undo = run.undo.model_copy(update={"surveyed": True, "order": tuple(order), "kept": tuple(kept)})
    return close_or_go_on(s, run, undo, {"how": "ordered", "actions": order, "kept": kept}, None)


def _next(s: Situation, run: Run, action: Action) -> Effect | Outcome:
    """One row of the table: what the action's status calls for."""
    assert run.undo is not None
    rule = _rule(s, action)
    match action.status:
        case "applied" | "unknown" | "started":
            return _look_first(s, run, action, rule)
        case "reverting":
            return _reverting(s, run, action, rule)
        case "unrecoverable":
            if not run.undo.replan:
                return stop(
                    s, run, action, action.reversal.note if action.reversal else "An earlier undo stopped here."
                )
            return _look_first(s, run, action, rule)
        case _:
            return advance(s, run, action, "skipped", f"{action.status}: nothing to take back")


def _look_first(s: Situation, run: Run, action: Action, rule: Rule | None) -> Effect | Outcome:
    assert run.undo is not None
    inverse = inverse_for(action, rule, replan=run.undo.replan) if rule is not None else action.inverse
    surely = action.status not in ("unknown", "started")
    can_read = rule is not None and rule.snapshot is not None
    if surely and (inverse is None or inverse.arguments is None):
        reason = inverse.unresolved if inverse is not None else "the policy has no inverse for it"
        return advance(s, run, action, "permanent", reason)
    if can_read and (action.after is not None or (not surely and action.snapshot is not None)):
        assert rule is not None and rule.snapshot is not None
        return ReadRecord(_call(s, run, action, "read"), rule.snapshot)
    if action.after is not None:
        return stop(s, run, action, "What it changed cannot be read any more: the policy names no snapshot for it now.")
    if not surely:
        return stop(s, run, action, "Nobody knows whether it happened, and nothing can be read to find out.")
    return _claim(s, run, action, inverse)


def _compared(s: Situation, run: Run, action: Action, rule: Rule | None, record: Record) -> Outcome:
    """Drift check: as the call left it, as it was before, or changed by somebody else."""
    assert rule is not None and run.undo is not None
    if _held(s, action):  # claimed by another delivery after both had read
        return nothing("another delivery makes the call")
    if record.error:
        return stop(s, run, action, f"What it changed cannot be read: {record.error}")
    before = action.snapshot
    if before is not None and same(before, record, action, rule):
        if action.status in ("unknown", "started"):
            return advance(
                s,
                run,
                action.evolve(status="unknown", given_up=True, lease=None, due=None),
                "skipped",
                "the record is as it was before",
            )
        return advance(
            s, run, _done(action, "It was as before already.", verified=True), "reverted", "already as before"
        )
    inverse = inverse_for(action, rule, replan=run.undo.replan)
    if action.after is None:  # unknown: it differs from before, so it did happen
        if inverse is None or inverse.arguments is None:
            return stop(s, run, action, "It happened, but its inverse cannot be resolved.", **_shown(action, record))
        return _claim(s, run, action, inverse)
    if not same(action.after, record, action, rule):
        return stop(s, run, action, "Somebody has changed it since.", **_shown(action, record))
    return _claim(s, run, action, inverse)


def _claim(s: Situation, run: Run, action: Action, inverse: Inverse | None) -> Outcome:
    """Applied → reverting, with a lease and a key of its own: racing undos send one inverse."""
    key = (
        action.reversal.key
        if action.reversal is not None and action.status == "reverting"
        else f"{action.id}.undo.{action.rev}"
    )
    tries = action.reversal.attempt if action.reversal is not None and action.reversal.key == key else 0
    lease = Lease(holder=s.delivery, worker=s.worker, expires=s.lease_expires)
    applied = action if action.status != "unknown" and action.status != "started" else _known(action)
    claimed = applied.evolve(
        status="reverting",
        inverse=inverse,
        reversal=Reversal(key=key, attempt=tries + 1, lease=lease),
        due=lease.expires,
    )
    event = {"action": action.id, "tool": action.tool, "how": "claimed", "note": f"{inverse.tool if inverse else ''}"}
    return Outcome(
        puts=(Put(action_path(run.id, action.id), claimed), Put(run_path(run.id), run.evolve(updated=s.now))),
        entry=entry(s, run, event),
        more=True,
    )


def _known(action: Action) -> Action:
    """One of which reading has told that it happened."""
    return action.evolve(status="applied", lease=None)


def _reverting(s: Situation, run: Run, action: Action, rule: Rule | None) -> Effect | Outcome:
    """Mine: call. Somebody's: leave it. Nobody's any more: only what is safe to repeat is repeated."""
    assert action.reversal is not None and action.inverse is not None
    lease = action.reversal.lease
    if lease is not None and lease.holder == s.delivery:
        snapshot = rule.snapshot if rule is not None else None
        return MakeCall(_inverse_call(s, run, action), snapshot, about=_arguments(action), hooks=False)
    if _held(s, action):
        return nothing("another delivery makes the call")
    tool = s.blueprint.tools.get(action.inverse.tool)
    if (tool is not None and tool.idempotent) or action.inverse.absent_when:
        return _claim(s, run, action, action.inverse)
    if rule is not None and rule.snapshot is not None and action.after is not None:
        return ReadRecord(_call(s, run, action, "read"), rule.snapshot)
    return _doubtful(s, run, action, "The inverse was called and its end was never recorded.")


def _held(s: Situation, action: Action) -> bool:
    """Somebody is calling its inverse now."""
    lease = action.reversal.lease if action.status == "reverting" and action.reversal is not None else None
    return lease is not None and lease.expires > s.now


def _reverted(s: Situation, run: Run, action: Action, rule: Rule | None, outcome: ToolOutcome) -> Outcome:
    """How the inverse ended."""
    assert action.inverse is not None
    if action.status != "reverting":
        return nothing("recorded by another delivery")
    gone = outcome.ending == "failed" and says_absent(action.inverse, outcome.error)
    if outcome.ending == "applied" or gone:
        note = "its target was gone already" if gone else ""
        read_back = (
            rule is not None and action.snapshot is not None and outcome.record is not None and not outcome.record.error
        )
        verified = bool(
            read_back
            and rule
            and action.snapshot
            and outcome.record
            and same(action.snapshot, outcome.record, action, rule)
        )
        return advance(s, run, _done(action, note, verified=verified), "reverted" if verified else "unverified", note)
    if outcome.ending == "unknown":
        return _doubtful(s, run, action, f"Nobody knows whether the inverse happened: {outcome.error}")
    back = action.evolve(status="applied", reversal=None, due=None)
    return stop(s, run, back, f"{action.inverse.tool} refused: {outcome.error}")


def _doubtful(s: Situation, run: Run, action: Action, reason: str) -> Outcome:
    assert action.reversal is not None
    left = action.evolve(
        status="unrecoverable", reversal=action.reversal.model_copy(update={"lease": None, "note": reason}), due=None
    )
    return stop(s, run, left, reason)


def _done(action: Action, note: str, *, verified: bool) -> Action:
    key = action.reversal.key if action.reversal is not None else ""
    attempt = action.reversal.attempt if action.reversal is not None else 0
    return action.evolve(
        status="reverted", reversal=Reversal(key=key, attempt=attempt, note=note, verified=verified), due=None
    )


def _call(s: Situation, run: Run, action: Action, what: str) -> Call:
    return replace(call_of(s, run, action, attempt=1), idempotency_key=f"{action.id}.undo.{what}")


def _inverse_call(s: Situation, run: Run, action: Action) -> Call:
    assert action.inverse is not None and action.inverse.arguments is not None and action.reversal is not None
    return replace(
        call_of(s, run, action, attempt=action.reversal.attempt),
        tool=action.inverse.tool,
        arguments=action.inverse.arguments.value,
        idempotency_key=action.reversal.key,
        prepared=True,
    )


def _arguments(action: Action) -> dict[str, Any]:
    arguments: dict[str, Any] = (action.effective or action.arguments).value
    return arguments


def _rule(s: Situation, action: Action) -> Rule | None:
    tool = s.blueprint.tools.get(action.tool)
    return s.blueprint.policy.rule_for(tool) if tool is not None else None


def _shown(action: Action, record: Record) -> dict[str, Any]:
    def value(reading: Reading | None) -> Any:
        return reading.value.value if reading is not None and reading.value is not None else None

    return {
        "before": value(action.snapshot),
        "expected": value(action.after),
        "found": record.value if record.present else None,
    }
