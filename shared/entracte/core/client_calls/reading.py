"""Calls that change nothing: made first and recorded afterwards, in one commit, since nothing has to be found later."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from entracte.core.actions.recording import end_events, ended_action
from entracte.core.addresses import action_path, frame_path, run_path
from entracte.core.calls import Call, ToolOutcome
from entracte.core.client_calls.asking import Asked, asked_event, awake, moved_on, proposed
from entracte.core.client_calls.client import CLIENT
from entracte.core.client_calls.opening import Client, takes_calls
from entracte.core.entry import frame_entry
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation
from entracte.core.tool_spec import ToolSpec


def read_call(s: Situation, client: Client, run_id: str, tool: ToolSpec, arguments: Mapping[str, Any]) -> Call:
    """The call of a free tool. Its action gets an id when it is recorded; until then the delivery's stands for it."""
    return Call(
        run=run_id,
        session=client.session,
        frame=run_id,
        agent=CLIENT,
        step=0,
        action=s.delivery,
        tool=tool.name,
        arguments=arguments,
        idempotency_key=s.delivery,
        attempt=1,
        user=client.owner,
        metadata=client.metadata,
        deadline=min(s.now + timedelta(seconds=tool.timeout_s), s.call_deadline),
    )


def record_read(s: Situation, tool: ToolSpec, call: Call, outcome: ToolOutcome) -> Asked:
    """The call as an action that has ended.

    Raises:
        InvalidInput: The arguments cannot be kept.
    """
    run, frame = s.docs.run(call.run), s.docs.frame(call.run, call.run)
    if run is None or frame is None or not takes_calls(s.docs, run.id):
        return Asked("again", None, Outcome())
    action = proposed(s, frame, tool, call.arguments)
    ended = ended_action(s, action, call, outcome)
    after = moved_on(s, frame, action)
    puts = (Put(frame_path(run.id, frame.id), after), Put(action_path(run.id, action.id), ended), *awake(s, run))
    events = (asked_event(action), *end_events(ended, call, outcome))
    entry = frame_entry(s, after, f"{action.step}.asked", phase="call", events=events)
    return Asked("new", ended, Outcome(puts=puts, verifies=(run_path(run.id),), entry=entry))
