"""The call itself and the record of its end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from entracte.core.actions.doubting import in_doubt
from entracte.core.addresses import action_path, frame_path, frames_around, gate_path, run_path
from entracte.core.calls import Call, Directives, ToolOutcome
from entracte.core.client_calls.client import is_clients
from entracte.core.documents.action import ENDED, Action
from entracte.core.documents.journal import EventRecord
from entracte.core.documents.run import Run
from entracte.core.due import step_ended_message
from entracte.core.effects import Fetch
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.gates.deciding import moving_again, woken
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.payload import Payload, error_text
from entracte.core.policy.calling import inverse_of, reading_of
from entracte.core.situation import Situation
from entracte.core.undo.progress import passed_by, undo_message
from entracte.errors import InvalidInput, RetryableError

MAX_WARNINGS = 20
"""Of one call. Hooks may give as many as they like."""


def call_of(s: Situation, run: Run, action: Action, *, attempt: int) -> Call:
    """The call that an action stands for. Its deadline fits in what the delivery has left."""
    tool = s.blueprint.tools.get(action.tool)
    timeout = timedelta(seconds=tool.timeout_s if tool is not None else 30)
    return Call(
        run=run.id,
        session=run.session,
        frame=action.frame,
        agent=action.agent,
        step=action.step,
        action=action.id,
        tool=action.tool,
        arguments=action.called_with.value,
        idempotency_key=action.id,
        attempt=attempt,
        user=run.owner,
        metadata=run.metadata,
        deadline=min(s.now + timeout, s.call_deadline),
        prepared=action.effective is not None,
        known=tuple(r.value for r in (action.snapshot, action.after) if r is not None and r.value is not None),
    )


def recorded(s: Situation, action: Action, call: Call, outcome: ToolOutcome) -> Outcome | Fetch:
    """The end of a call. An issued change is recorded whatever the run's status is by now.

    Raises:
        RetryableError: It only reads, and its delivery stood still for so long that it was not even called.
    """
    if action.status in ENDED:
        return _beside_the_end(s, action, call, outcome)
    action = action.evolve(usage=action.usage + outcome.usage)
    if not outcome.called and action.effect == "readonly":
        raise RetryableError(outcome.error, code="not_called")
    asked = action.status in ("unknown", "approved", "gated")  # found in doubt, perhaps decided since
    if action.attempt > call.attempt:
        error, move = _overtaken(action, call, outcome), _late_move(call, outcome)
        return _noted(s, action, error, move) if asked else in_doubt(s, action, None, error=error, move=move)
    if outcome.ending == "unknown":
        return (
            nothing("in doubt already")
            if asked
            else in_doubt(s, action, outcome.record, error=error_text(outcome.error))
        )
    if asked:
        return _late(s, action, call, outcome)
    ended, kept, saved = _kept(s, ended_action(s, action, call, outcome))
    run = s.docs.run(action.run)
    waiting_undo = (undo_message(run),) if run is not None and run.status == "undoing" else ()
    alone = action.calls == 1 and not is_clients(action)
    return Outcome(
        puts=(Put(action_path(action.run, action.id), ended), *kept),
        entry=action_entry(s, action, "ended", events=(*end_events(ended, call, outcome), *saved), usage=outcome.usage),
        messages=(step_ended_message(ended, light=s.blueprint.is_light(action.agent)), *waiting_undo)
        if alone
        else waiting_undo,
        more=not alone,
    )


def _late(s: Situation, action: Action, call: Call, outcome: ToolOutcome) -> Outcome | Fetch:
    """The call's own end, after it had been given up for unknown: it closes the gate in doubt, and all moves again."""
    around = (
        gate_path(action.gate),
        run_path(action.run),
        *(frame_path(action.run, f) for f in frames_around(action.id)),
    )
    if unread := s.docs.unread(around):
        return Fetch(unread)
    ended, kept, saved = _kept(s, ended_action(s, action, call, outcome))
    puts: tuple[Put, ...] = (Put(action_path(action.run, action.id), ended), *kept)
    if (gate := s.docs.gate(action.gate)) is not None and gate.waiting:
        note = f"The call's end came late: it was {ended.status}."
        puts = (*puts, Put(gate_path(action.gate), gate.evolve(status="cancelled", decision_error=note, due=None)))
    if (run := s.docs.run(action.run)) is not None and not run.closed and not action.given_up:
        puts = (*puts, *moving_again(s, run, action))
    if run is not None and ended.status == "applied" and ended.effect == "changing":
        puts = (*puts, *passed_by(s, run, ended))
    events = (*end_events(ended, call, outcome), *saved)
    entry = action_entry(s, action, "ended", events=events, usage=outcome.usage)
    return Outcome(puts=puts, verifies=woken(s, action), entry=entry, more=True)


def _kept(s: Situation, ended: Action) -> tuple[Action, tuple[Put, ...], tuple[EventRecord, ...]]:
    """The action, and its result as an artifact where the tool asks for that."""
    if not s.blueprint.artifacts:
        return ended, (), ()
    from entracte.core.artifacts.persisting import keep_result  # only for networks that ask for artifacts

    kept = keep_result(s, ended)
    return ended.evolve(warnings=(*ended.warnings, *kept.warnings)), kept.puts, kept.events


def _beside_the_end(s: Situation, action: Action, call: Call, outcome: ToolOutcome) -> Outcome:
    """The end of a call whose action has ended without it. What an older attempt came to is journaled all the same.

    The action does not fall in doubt again: the run has gone on from its end, and may have closed.
    """
    if call.attempt >= action.attempt or action.effect == "readonly" or outcome.ending == "unknown":
        return nothing("recorded by another delivery")
    error = _overtaken(action, call, outcome)
    noted = _noted(s, action, error, _late_move(call, outcome))
    tool = s.blueprint.tools.get(action.tool)
    if outcome.ending != "applied" or (tool is not None and tool.idempotent):
        return noted
    warned = action.evolve(warnings=(*action.warnings, f"{error} It may have been done twice."))
    return replace(noted, puts=(Put(action_path(action.run, action.id), warned),))


def _overtaken(action: Action, call: Call, outcome: ToolOutcome) -> str:
    return f"Attempt {call.attempt} ended ({outcome.ending}) after attempt {action.attempt} had been started."


def _late_move(call: Call, outcome: ToolOutcome) -> str:
    """Name of an older attempt's end in the journal. One that was given up for unknown may still end for good."""
    return f"{call.attempt}.late.unknown" if outcome.ending == "unknown" else f"{call.attempt}.late"


def _noted(s: Situation, action: Action, error: str, move: str) -> Outcome:
    """An older attempt's end beside a question that is open already."""
    event = record("error", action=action.id, tool=action.tool, message=error)
    return Outcome(entry=action_entry(s, action, move, events=(event,)))


def ended_action(s: Situation, action: Action, call: Call, outcome: ToolOutcome) -> Action:
    """The action as its call has left it."""
    ended = action.evolve(
        status=outcome.ending,
        effective=Payload.of(dict(outcome.arguments)) if outcome.arguments is not None else action.effective,
        attempt=call.attempt,
        lease=None,
        result=_storable(outcome),
        error=error_text(outcome.error),
        warnings=(*action.warnings, *map(error_text, outcome.warnings))[:MAX_WARNINGS],
        directives=directives_payload(outcome.directives, action.directives),
        started=action.started or s.now,
        ended=s.now,
        due=None,
    )
    return _with_way_back(s, ended, outcome) if ended.status == "applied" and ended.effect == "changing" else ended


def _with_way_back(s: Situation, ended: Action, outcome: ToolOutcome) -> Action:
    """The action with its inverse and its post-state. A fault in either is a warning: the call has been made."""
    tool = s.blueprint.tools.get(ended.tool)
    if tool is None:
        return ended
    rule = s.blueprint.policy.rule_for(tool)
    inverse = inverse_of(rule, ended.called_with.value, ended.snapshot, outcome.raw)
    warnings = [f"It cannot be undone: {inverse.unresolved}"] if inverse is not None and inverse.unresolved else []
    after = None
    try:
        after = reading_of(outcome.record) if outcome.record is not None and not outcome.record.error else None
    except InvalidInput as error:
        warnings.append(f"What it changed cannot be kept: {error}")
    if outcome.record is None and inverse is not None and rule.snapshot is not None:
        warnings.append(
            "Its end came late, so what it changed was not read: an undo cannot tell later changes from it."
        )
    if outcome.record is not None and outcome.record.error:
        warnings.append(f"What it changed could not be read afterwards: {outcome.record.error}")
    return ended.evolve(inverse=inverse, after=after, warnings=(*ended.warnings, *warnings))


def end_events(ended: Action, call: Call, outcome: ToolOutcome) -> tuple[EventRecord, ...]:
    """What observers are told of a call's end."""
    shown = {"action": ended.id, "tool": ended.tool}
    arguments = ended.called_with.value
    called = () if call.prepared else (record("tool.called", **shown, attempt=1, arguments=arguments),)
    progress = (record("tool.progress", **shown, text=text) for text in outcome.progress)
    result = ended.result.value if ended.result is not None else None
    return (*called, *progress, record("tool.result", **shown, status=ended.status, result=result, error=ended.error))


def directives_payload(given: Directives, before: Payload | None = None) -> Payload | None:
    """Directives as they are kept until evaluate applies them; those of `before` come first."""
    old = before.value if before is not None else to_builtins(Directives())
    both: dict[str, Any] = {
        "state": [*old["state"], *given.state],
        "disabled_tools": [*old["disabled_tools"], *given.disabled_tools],
        "disabled_agents": [*old["disabled_agents"], *given.disabled_agents],
        "terminate": given.terminate if given.terminate is not None else old["terminate"],
    }
    return Payload.of(both) if any(both.values()) else None


def _storable(outcome: ToolOutcome) -> Payload | None:
    """The result; or, where it cannot be kept, a note in its place, since the call has been made all the same."""
    if outcome.ending != "applied":
        return None
    try:
        return Payload.of(outcome.result)
    except InvalidInput as error:
        return Payload.of({"note": f"The tool ended well, but its result could not be kept. {error}"})
