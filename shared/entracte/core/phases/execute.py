"""execute: one call of a tool or sub-agent, and what follows when the calls of its step have ended.

A readonly call is made and recorded in one commit. A call that may change something is written down before it is made
(attempt and lease), so that whoever finds it later knows that it may have happened. A sub-agent call opens a child
frame and ends with it.
"""

from __future__ import annotations

from typing import assert_never

from entracte.core.addresses import action_path, frame_path, run_path
from entracte.core.calls import Prepared, ToolOutcome
from entracte.core.documents.action import Action, Lease
from entracte.core.documents.run import Run
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.fan_in import fan_in
from entracte.core.messages import Message
from entracte.core.outcome import Fetch, MakeCall, Outcome, PrepareCall, Put, Situation, nothing
from entracte.core.payload import Payload
from entracte.core.phases.calling import call_of, directives_payload, recorded
from entracte.core.phases.delegating import open_child, take_child


def paths(message: Message) -> tuple[str, ...]:
    """What an execute message is decided by."""
    return run_path(message.run), action_path(message.run, message.action)


def decide(s: Situation, message: Message) -> PrepareCall | MakeCall | Fetch | Outcome:
    """What the action's status calls for."""
    run, action = s.docs.run(message.run), s.docs.action(message.run, message.action)
    if run is None or action is None:
        return nothing("no such run or action")
    match action.status:
        case "proposed" if run.closed:
            return _cancelled(s, action)
        case "proposed" if action.kind == "agent":
            return open_child(s, run, action)
        case "proposed":
            if action.tool not in s.blueprint.tools:
                return _refused(s, action, Prepared(refusal=f"There is no tool {action.tool!r} any more."))
            call = call_of(s, run, action, attempt=1)
            return MakeCall(call) if action.effect == "readonly" else PrepareCall(call)
        case "started" if action.kind == "agent":
            return _child(s, run, action)
        case "started":
            return _started(s, run, action)
        case "applied" | "failed" | "blocked" | "cancelled" | "unknown":
            return fan_in(s, run, action)
        case _:
            assert_never(action.status)


def conclude(s: Situation, message: Message, effect: PrepareCall | MakeCall, result: Prepared | ToolOutcome) -> Outcome:
    """Write the intent down, refuse the call, or record its end."""
    run, action = s.docs.run(message.run), s.docs.action(message.run, message.action)
    if run is None or action is None:
        return nothing("the run was deleted meanwhile")
    match result:
        case Prepared():
            if action.status != "proposed":
                return nothing("started by another delivery")
            if run.closed:
                return _cancelled(s, action)
            return _refused(s, action, result) if result.refusal else _start(s, action, result)
        case ToolOutcome():
            return recorded(s, action, effect.call, result)


def _start(s: Situation, action: Action, prepared: Prepared) -> Outcome:
    """The intent, before the effect. It verifies the run, so that no call starts after a cancel."""
    return _attempt(
        s,
        action.evolve(
            effective=Payload.of(dict(prepared.arguments)), directives=directives_payload(prepared.directives)
        ),
    )


def _attempt(s: Situation, action: Action) -> Outcome:
    expires = s.lease_expires
    started = action.evolve(
        status="started",
        attempt=action.attempt + 1,
        lease=Lease(holder=s.delivery, worker=s.worker, expires=expires),
        started=action.started or s.now,
        due=expires,
    )
    assert started.effective is not None
    called = record(
        "tool.called", action=action.id, tool=action.tool, attempt=started.attempt, arguments=started.effective.value
    )
    return Outcome(
        puts=(Put(action_path(action.run, action.id), started),),
        verifies=(run_path(action.run),),
        entry=action_entry(s, action, f"{started.attempt}.started", events=(called,)),
        more=True,
    )


def _started(s: Situation, run: Run, action: Action) -> MakeCall | Outcome:
    """Mine: call. Somebody's: leave it. Nobody's any more: nobody knows whether it happened."""
    assert action.lease is not None
    if action.lease.holder == s.delivery:
        return MakeCall(call_of(s, run, action, attempt=action.attempt))
    if action.lease.expires > s.now:
        return nothing("another delivery holds the lease")
    tool = s.blueprint.tools.get(action.tool)
    if tool is not None and tool.idempotent and not run.closed:
        return _attempt(s, action)
    error = "Nobody knows whether this call did anything: it was started and its end was never recorded."
    unknown = action.evolve(status="unknown", error=error, lease=None, due=None)
    event = record("tool.result", action=action.id, tool=action.tool, status="unknown", error=error)
    return Outcome(
        puts=(Put(action_path(run.id, action.id), unknown),),
        entry=action_entry(s, action, f"{action.attempt}.unknown", events=(event,)),
        more=True,
    )


def _child(s: Situation, run: Run, action: Action) -> Fetch | Outcome:
    if unread := s.docs.unread((frame_path(run.id, action.id),)):
        return Fetch(unread)
    child = s.docs.frame(run.id, action.id)
    if child is None:
        return nothing("the child frame is not there")
    if child.ended:
        return take_child(s, action, child)
    return fan_in(s, run, action) if child.parked else nothing("the child frame is still at work")


def _refused(s: Situation, action: Action, prepared: Prepared) -> Outcome:
    """A hook blocks it, or its arguments do not fit: it ends without having been called."""
    status = "blocked" if prepared.blocked else "failed"
    ended = action.evolve(
        status=status, error=prepared.refusal, ended=s.now, due=None, directives=directives_payload(prepared.directives)
    )
    event = record("tool.result", action=action.id, tool=action.tool, status=status, error=prepared.refusal)
    return Outcome(
        puts=(Put(action_path(action.run, action.id), ended),),
        entry=action_entry(s, action, "ended", events=(event,)),
        more=True,
    )


def _cancelled(s: Situation, action: Action) -> Outcome:
    ended = action.evolve(
        status="cancelled", error="The run was closed before this call was made.", ended=s.now, due=None
    )
    return Outcome(puts=(Put(action_path(action.run, action.id), ended),), entry=action_entry(s, action, "ended"))
