"""execute: one call of a tool or sub-agent, and what follows when the calls of its step have ended.

A readonly call is made and recorded in one commit. Any other call is prepared first: hooks, argument check, policy. It
may wait at a gate; then what it will change is read, the intent is written down (attempt, lease, snapshot), and only
then is it made, so that whoever finds it later knows that it may have happened. A sub-agent call opens a child frame
and ends with it. A call that an MCP client asked for is made only while the client waits for it.
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from entracte.core.actions.clearing import ask_again, prepared_action, refused, start_or_ask, write_intent
from entracte.core.actions.delegating import open_child, take_child
from entracte.core.actions.doubting import in_doubt
from entracte.core.actions.recording import call_of, recorded
from entracte.core.actions.unmade import unmade, unmade_move
from entracte.core.addresses import action_path, frame_path, gate_path, run_path
from entracte.core.calls import Prepared, Record, ToolOutcome
from entracte.core.client_calls.client import is_clients
from entracte.core.client_calls.lapsing import abandoned, unclaimed
from entracte.core.documents.action import Action
from entracte.core.documents.run import Run
from entracte.core.effects import Fetch, MakeCall, PrepareCall, ReadRecord
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.frames.fan_in import fan_in
from entracte.core.gates.granting import why_not_granted
from entracte.core.messages import Message
from entracte.core.modelling import Usage
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.situation import Situation
from entracte.core.tool_spec import ToolSpec

Effect = PrepareCall | MakeCall | ReadRecord


def paths(message: Message) -> tuple[str, ...]:
    """What an execute message is decided by."""
    return run_path(message.run), action_path(message.run, message.action)


def decide(s: Situation, message: Message) -> Effect | Fetch | Outcome:
    """What the action's status calls for."""
    run, action = s.docs.run(message.run), s.docs.action(message.run, message.action)
    if run is None or action is None:
        return nothing("no such run or action")
    match action.status:
        case "proposed" | "approved" if run.closed:
            return _cancelled(s, action)
        case "proposed" if is_clients(action) and not s.attended:
            return abandoned(s, action)
        case "proposed" if action.kind == "agent":
            return open_child(s, run, action)
        case "proposed" | "approved" if action.tool not in s.blueprint.tools:
            return refused(s, action, Prepared(refusal=f"There is no tool {action.tool!r} any more."))
        case "proposed":
            return _proposed(s, run, action)
        case "approved":
            return _approved(s, run, action)
        case "started" if action.kind == "agent":
            return _child(s, run, action)
        case "started":
            return _started(s, run, action)
        case "gated" | "unknown" | "applied" | "failed" | "blocked" | "denied" | "expired" | "cancelled" | "lapsed":
            return fan_in(s, run, action)
        case "reverting" | "reverted" | "unrecoverable":
            return nothing("being undone")
        case _:
            assert_never(action.status)


def conclude(
    s: Situation, message: Message, effect: Effect, result: Prepared | Record | ToolOutcome
) -> Outcome | Fetch:
    """Ask a person, write the intent down, refuse the call, or record its end."""
    run, action = s.docs.run(message.run), s.docs.action(message.run, message.action)
    if run is None or action is None:
        return nothing("the run was deleted meanwhile")
    match result:
        case ToolOutcome():
            return recorded(s, action, effect.call, result)
        case Prepared() | Record() if action.status not in ("proposed", "approved", "started"):
            return nothing("moved on by another delivery")
        case Prepared() | Record() if run.closed and action.status != "started":
            return _cancelled(s, action)
        case Prepared():
            if action.status != "proposed":
                return nothing("prepared by another delivery")
            action = action.evolve(usage=action.usage + result.usage)
            if result.refusal:
                return _with_usage(refused(s, action, result), result.usage)
            prepared = prepared_action(s, action, result)
            return _with_usage(start_or_ask(s, prepared, result.record, approved=False, diff=result.diff), result.usage)
        case Record():
            if action.status == "started":
                return nothing("another delivery holds the lease") if _held(s, action) else in_doubt(s, action, result)
            return _not_granted(s, action) or start_or_ask(s, action, result, approved=True)
        case _:
            assert_never(result)


def _with_usage(outcome: Outcome, usage: Usage) -> Outcome:
    """The outcome with what models used that were asked on the way."""
    entry = outcome.entry
    return outcome if entry is None else replace(outcome, entry=entry.evolve(usage=entry.usage + usage))


def _proposed(s: Situation, run: Run, action: Action) -> PrepareCall | MakeCall:
    """Make it at once where it changes nothing and nobody has to be asked; prepare it otherwise."""
    tool = s.blueprint.tools[action.tool]
    rule = s.blueprint.policy.rule_for(tool)
    call = call_of(s, run, action, attempt=1)
    if rule.is_readonly and rule.gate == "never" and not tool.asks:
        return MakeCall(call)
    return PrepareCall(call, rule.snapshot)


def _approved(s: Situation, run: Run, action: Action) -> ReadRecord | Fetch | Outcome:
    """A person agreed: to exactly these arguments, under a rule that is no stricter by now."""
    if is_clients(action) and (lapsing := unclaimed(s, action)) is not None:
        return lapsing
    if (obstacle := _not_granted(s, action)) is not None:
        return obstacle
    rule = s.blueprint.policy.rule_for(s.blueprint.tools[action.tool])
    if rule.snapshot is None:
        return start_or_ask(s, action, None, approved=True)
    return ReadRecord(call_of(s, run, action, attempt=action.attempt + 1), rule.snapshot)


def _not_granted(s: Situation, action: Action) -> Fetch | Outcome | None:
    """What keeps an approved call from being made: its gate has to be read, or it does not cover the call."""
    if unread := s.docs.unread((gate_path(action.gate),)):
        return Fetch(unread)
    rule = s.blueprint.policy.rule_for(s.blueprint.tools[action.tool])
    why = why_not_granted(action, s.docs.gate(action.gate), rule)
    return ask_again(s, action, rule, why) if why else None


def _started(s: Situation, run: Run, action: Action) -> MakeCall | ReadRecord | Fetch | Outcome:
    """Mine: make it. Somebody's: leave it. Nobody's any more: again, where that does no harm; else ask a person."""
    assert action.lease is not None
    tool = s.blueprint.tools.get(action.tool)
    rule = s.blueprint.policy.rule_for(tool) if tool is not None else None
    if action.lease.holder == s.delivery and tool is not None and rule is not None:
        return MakeCall(call_of(s, run, action, attempt=action.attempt), rule.snapshot)
    if _held(s, action):
        return nothing("another delivery holds the lease")
    if tool is not None and rule is not None and _may_repeat(s, tool, action) and not run.closed:
        if unread := s.docs.unread((gate_path(action.gate),) if action.gate else ()):
            return Fetch(unread)
        if not action.gate or not why_not_granted(action, s.docs.gate(action.gate), rule):
            return write_intent(s, action)
    if tool is not None and rule is not None and rule.snapshot is not None:
        return ReadRecord(call_of(s, run, action, attempt=action.attempt), rule.snapshot)
    return in_doubt(s, action, None)


def _may_repeat(s: Situation, tool: ToolSpec, action: Action) -> bool:
    """A second call does no harm, and somebody still wants its result."""
    return (tool.idempotent or tool.readonly) and (s.attended or not is_clients(action))


def _held(s: Situation, action: Action) -> bool:
    """Somebody is making the call now."""
    return action.lease is not None and action.lease.expires > s.now


def _child(s: Situation, run: Run, action: Action) -> Fetch | Outcome:
    """A call of a sub-agent ends with its frame."""
    if unread := s.docs.unread((frame_path(run.id, action.id),)):
        return Fetch(unread)
    child = s.docs.frame(run.id, action.id)
    if child is None:
        return nothing("the child frame is not there")
    if child.ended:
        return take_child(s, action, child)
    return fan_in(s, run, action) if child.parked else nothing("the child frame is still at work")


def _cancelled(s: Situation, action: Action) -> Outcome:
    ended = unmade(s, action, "cancelled", "The run was closed before this call was made.")
    event = record("tool.result", action=action.id, tool=action.tool, status=ended.status, error=ended.error)
    return Outcome(
        puts=(Put(action_path(action.run, action.id), ended),),
        entry=action_entry(s, action, unmade_move(ended), events=(event,)),
    )
