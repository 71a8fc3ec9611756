"""undo: walk a run's effects backwards, newest first, one message per action.

One delivery takes three turns for an action: it looks, for what the call changed must be as the call left it; it claims
the reversal (lease and idempotency key), which is committed; and finding the claim its own, it calls the inverse. What
cannot be undone is reported and stepped over; what nobody can be sure of stops the walk, because what lies before would
be taken back from under it.
"""

from __future__ import annotations

from msgspec.structs import replace

from entracte.core.actions.recording import call_of
from entracte.core.addresses import action_path, run_path
from entracte.core.calls import Call, Record, ToolOutcome
from entracte.core.documents.action import Action, Inverse, Lease, Reversal
from entracte.core.documents.run import Run
from entracte.core.effects import Fetch, MakeCall, ReadRecord, Survey, Surveyed
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.policy.calling import says_absent
from entracte.core.situation import Situation
from entracte.core.undo.drift import is_put_back
from entracte.core.undo.inverses import is_in_doubt
from entracte.core.undo.moves import Already, Doubt, Move, Permanent, Read, Revert, Skip, Stop, compare, look, rule_of
from entracte.core.undo.progress import advance, close_or_go_on, entry, refuse, stop, undo_message
from entracte.core.undo.telling import with_notice
from entracte.errors import RetryableError

Effect = Survey | ReadRecord | MakeCall

MAX_EFFECTS = 3000
"""Calls that one undo takes back. Their ids, and what became of each, lie in the run's document."""

MAX_ID_BYTES = 120_000
"""Of these ids, which lie there up to four times. Those of calls deep below sub-agents are long."""


def paths(message: Message) -> tuple[str, ...]:
    """What an undo message is decided by."""
    return (run_path(message.run), *([action_path(message.run, message.action)] if message.action else []))


def decide(s: Situation, message: Message) -> Effect | Fetch | Outcome:
    """Look for the next move. The session is told of the last."""
    move = _decided(s, message)
    return with_notice(s, move) if isinstance(move, Outcome) else move


def conclude(
    s: Situation, message: Message, effect: Effect, result: Surveyed | Record | ToolOutcome
) -> Outcome | Fetch:
    """Make the move, now that more is known. The session is told of the last."""
    return with_notice(s, _concluded(s, message, effect, result))


def _decided(s: Situation, message: Message) -> Effect | Outcome:
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


def _concluded(s: Situation, message: Message, effect: Effect, result: Surveyed | Record | ToolOutcome) -> Outcome:
    """Set the order, compare and claim, or record how the inverse ended."""
    run = s.docs.run(message.run)
    if run is None or run.status != "undoing" or run.undo is None:
        return nothing("the undo has ended")
    if isinstance(result, Surveyed):
        return _ordered(s, run, result.actions)
    action = s.docs.action(run.id, message.action)
    if action is None or message.action != run.undo.current:
        return nothing("dealt with by another delivery")
    match result:
        case Record():
            return _compared(s, run, action, effect, result)
        case ToolOutcome():
            return _inverse_ended(s, run, action, effect, result)


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
    room = min(MAX_EFFECTS, MAX_ID_BYTES // (1 + max((len(action.id) for action in actions), default=0)))
    if len(order) > room:
        most = f"one undo takes back {room:,} at most: do it in parts, the latest first, with --to ACTION."
        return refuse(s, run, f"It has {len(order):,} effects, and {most}")
    undo = run.undo.evolve(surveyed=True, order=tuple(order), kept=tuple(kept[:room]))
    return close_or_go_on(s, run, undo, {"how": "ordered", "actions": order, "kept": kept}, None)


def _next(s: Situation, run: Run, action: Action) -> Effect | Outcome:
    """Call the inverse if this delivery has claimed it; look, if nobody has."""
    assert run.undo is not None
    if _is_mine(s, action):
        rule = rule_of(action, s.blueprint)
        snapshot = rule.snapshot if rule is not None else None
        return MakeCall(_inverse_call(s, run, action), snapshot, about=action.called_with.value, hooks=False)
    if _is_held(s, action):
        return nothing("another delivery makes the call")
    match look(action, s.blueprint, replan=run.undo.replan):
        case Read(snapshot):
            return ReadRecord(
                replace(call_of(s, run, action, attempt=1), idempotency_key=_reading_key(action)), snapshot
            )
        case move:
            return _follow(s, run, action, move)


def _compared(s: Situation, run: Run, action: Action, effect: Effect, record: Record) -> Outcome:
    """Do what is to be done, now that the record has been read."""
    assert run.undo is not None and isinstance(effect, ReadRecord)
    if _is_held(s, action):  # claimed by another delivery after both had read
        return nothing("another delivery makes the call")
    if effect.call.idempotency_key != _reading_key(action):  # changed meanwhile: what was read is out of date
        return Outcome(more=True)
    rule = rule_of(action, s.blueprint)
    assert rule is not None
    return _follow(s, run, action, compare(action, rule, record, replan=run.undo.replan))


def _follow(s: Situation, run: Run, action: Action, move: Move) -> Outcome:
    """The move as documents: skip it, note it, claim it for its inverse, or stop."""
    match move:
        case Skip(note):
            return advance(s, run, _given_up(action), "skipped", note)
        case Permanent(note):
            return advance(s, run, action, "permanent", note)
        case Already():
            done = _done(action, "It was as before already.", verified=True)
            return advance(s, run, done, "reverted", "already as before")
        case Revert(inverse):
            return _claim(s, run, action, inverse)
        case Stop(reason, shown):
            return stop(s, run, action, reason, **(shown or {}))
        case Doubt(reason):
            return _unrecoverable(s, run, action, reason)


def _reading_key(action: Action) -> str:
    """Names what is read of an action as it is now."""
    return f"{action.id}.undo.read.{action.rev}"


def _given_up(action: Action) -> Action:
    """Of a call that did not happen after all: nobody has to find out any more."""
    if not is_in_doubt(action):
        return action
    return action.evolve(status="unknown", given_up=True, lease=None, due=None)


def _claim(s: Situation, run: Run, action: Action, inverse: Inverse) -> Outcome:
    """Applied → reverting, with a lease and a key of its own: racing undos send one inverse."""
    key = (
        action.reversal.key
        if action.reversal is not None and action.status == "reverting"
        else f"{action.id}.undo.{action.rev}"
    )
    tries = action.reversal.attempt if action.reversal is not None and action.reversal.key == key else 0
    lease = Lease(holder=s.delivery, worker=s.worker, expires=s.lease_expires)
    applied = _as_applied(action) if is_in_doubt(action) else action
    claimed = applied.evolve(
        status="reverting",
        inverse=inverse,
        reversal=Reversal(key=key, attempt=tries + 1, lease=lease),
        due=lease.expires,
    )
    event = {"action": action.id, "tool": action.tool, "how": "claimed", "note": inverse.tool}
    return Outcome(
        puts=(Put(action_path(run.id, action.id), claimed), Put(run_path(run.id), run.evolve(updated=s.now))),
        entry=entry(s, run, event),
        more=True,
    )


def _as_applied(action: Action) -> Action:
    """One of which reading has told that it happened."""
    return action.evolve(status="applied", lease=None)


def _lease(action: Action) -> Lease | None:
    """The right to call its inverse, as it was last taken."""
    return action.reversal.lease if action.status == "reverting" and action.reversal is not None else None


def _is_mine(s: Situation, action: Action) -> bool:
    lease = _lease(action)
    return lease is not None and lease.holder == s.delivery


def _is_held(s: Situation, action: Action) -> bool:
    """Somebody is calling its inverse now."""
    lease = _lease(action)
    return lease is not None and lease.expires > s.now


def _inverse_ended(s: Situation, run: Run, action: Action, effect: Effect, outcome: ToolOutcome) -> Outcome:
    """How the inverse ended.

    Raises:
        RetryableError: It was not even called, since its delivery had stood still for too long.
    """
    assert action.inverse is not None and isinstance(effect, MakeCall)
    if action.status != "reverting" or action.reversal is None:
        return nothing("recorded by another delivery")
    if not outcome.called:
        raise RetryableError(outcome.error, code="not_called")
    overtaken = (effect.call.idempotency_key, effect.call.attempt) != (action.reversal.key, action.reversal.attempt)
    if overtaken and outcome.ending != "applied":  # whoever calls it now will know better; applied is applied
        return nothing("another delivery makes the call")
    gone = outcome.ending == "failed" and says_absent(action.inverse, outcome.error)
    if outcome.ending == "applied" or gone:
        note = "its target was gone already" if gone else ""
        verified = is_put_back(action, rule_of(action, s.blueprint), outcome.record)
        return advance(s, run, _done(action, note, verified=verified), "reverted" if verified else "unverified", note)
    if outcome.ending == "unknown":
        return _unrecoverable(s, run, action, f"Nobody knows whether the inverse happened: {outcome.error}")
    back = action.evolve(status="applied", reversal=None, due=None)
    return stop(s, run, back, f"{action.inverse.tool} refused: {outcome.error}")


def _unrecoverable(s: Situation, run: Run, action: Action, reason: str) -> Outcome:
    """Nobody can be sure of it, so the walk stops here."""
    assert action.reversal is not None
    left = action.evolve(status="unrecoverable", reversal=action.reversal.evolve(lease=None, note=reason), due=None)
    return stop(s, run, left, reason)


def _done(action: Action, note: str, *, verified: bool) -> Action:
    key = action.reversal.key if action.reversal is not None else ""
    attempt = action.reversal.attempt if action.reversal is not None else 0
    return action.evolve(
        status="reverted", reversal=Reversal(key=key, attempt=attempt, note=note, verified=verified), due=None
    )


def _inverse_call(s: Situation, run: Run, action: Action) -> Call:
    assert action.inverse is not None and action.inverse.arguments is not None and action.reversal is not None
    return replace(
        call_of(s, run, action, attempt=action.reversal.attempt),
        tool=action.inverse.tool,
        arguments=action.inverse.arguments.value,
        idempotency_key=action.reversal.key,
        prepared=True,
    )
