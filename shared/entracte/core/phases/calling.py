"""The call itself and the record of its end."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from entracte.core.addresses import action_path
from entracte.core.calls import Call, Directives, ToolOutcome
from entracte.core.documents.action import Action
from entracte.core.documents.run import Run
from entracte.core.due import step_ended_message
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put, Situation, nothing
from entracte.core.payload import Payload
from entracte.errors import InvalidInput

MAX_ERROR_CHARS = 2000


def call_of(s: Situation, run: Run, action: Action, *, attempt: int) -> Call:
    """The call that an action stands for. Its deadline fits in what the delivery has left."""
    timeout = timedelta(seconds=s.blueprint.tools[action.tool].timeout_s)
    return Call(
        run=run.id,
        session=run.session,
        frame=action.frame,
        agent=action.agent,
        step=action.step,
        action=action.id,
        tool=action.tool,
        arguments=(action.effective or action.arguments).value,
        idempotency_key=action.id,
        attempt=attempt,
        user=run.owner,
        metadata=run.metadata,
        deadline=min(s.now + timeout, s.call_deadline),
        prepared=action.effective is not None,
    )


def recorded(s: Situation, action: Action, call: Call, outcome: ToolOutcome) -> Outcome:
    """The end of a call. An issued change is recorded whatever the run's status is by now."""
    if action.is_ended:
        return nothing("recorded by another delivery")
    if action.attempt > call.attempt:
        return _overtaken(s, action, call, outcome)
    result, warnings = _storable(outcome)
    effective = Payload.of(dict(outcome.arguments)) if outcome.arguments is not None else action.effective
    ended = action.evolve(
        status=outcome.ending,
        effective=effective,
        attempt=call.attempt,
        lease=None,
        result=result,
        error=outcome.error[:MAX_ERROR_CHARS],
        warnings=(*action.warnings, *outcome.warnings, *warnings),
        directives=directives_payload(outcome.directives, action.directives),
        started=action.started or s.now,
        ended=None if outcome.ending == "unknown" else s.now,
        due=None,
    )
    shown = {"action": action.id, "tool": action.tool}
    called = (
        ()
        if call.prepared
        else (record("tool.called", **shown, attempt=1, arguments=(effective or action.arguments).value),)
    )
    progress = tuple(record("tool.progress", **shown, text=text) for text in outcome.progress)
    end = record(
        "tool.result", **shown, status=ended.status, result=result.value if result else None, error=ended.error
    )
    alone = action.calls == 1 and ended.is_ended
    agent = s.agent(action.agent)
    return Outcome(
        puts=(Put(action_path(action.run, action.id), ended),),
        entry=action_entry(
            s, action, "ended" if ended.is_ended else f"{call.attempt}.unknown", events=(*called, *progress, end)
        ),
        messages=(step_ended_message(ended, light=agent is not None and agent.light),) if alone else (),
        more=not alone,
    )


def directives_payload(given: Directives, before: Payload | None = None) -> Payload | None:
    """Directives as they are kept until evaluate applies them; those of `before` come first."""
    old = before.value if before is not None else asdict(Directives())
    both: dict[str, Any] = {
        "state": [*old["state"], *given.state],
        "disabled_tools": [*old["disabled_tools"], *given.disabled_tools],
        "disabled_agents": [*old["disabled_agents"], *given.disabled_agents],
        "terminate": given.terminate if given.terminate is not None else old["terminate"],
    }
    return Payload.of(both) if any(both.values()) else None


def _storable(outcome: ToolOutcome) -> tuple[Payload | None, tuple[str, ...]]:
    """The result; or, where it cannot be kept, a note in its place, since the call has been made all the same."""
    if outcome.ending != "applied":
        return None, ()
    try:
        return Payload.of(outcome.result), ()
    except InvalidInput as error:
        return Payload.of({"note": f"The tool ended well, but its result could not be kept. {error}"}), (str(error),)


def _overtaken(s: Situation, action: Action, call: Call, outcome: ToolOutcome) -> Outcome:
    """An older attempt comes back after a newer one was started: two calls were made, so nobody knows the end."""
    error = f"Attempt {call.attempt} ended ({outcome.ending}) after attempt {action.attempt} had been started."
    event = record(
        "tool.result", action=action.id, tool=action.tool, status="unknown", error=error, attempt=call.attempt
    )
    return Outcome(
        puts=(
            Put(action_path(action.run, action.id), action.evolve(status="unknown", error=error, lease=None, due=None)),
        ),
        entry=action_entry(s, action, f"{call.attempt}.late", events=(event,)),
        more=True,
    )
