"""A call that an MCP client asks for: a new action, or what became of an earlier one with equal arguments.

Clients that were refused or lost a connection ask again. So an equal call that waits for a person is not asked twice,
one that may have happened is not made twice, and an approval is used by whoever asks again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from entracte.core.addresses import action_id, action_path, frame_path, latest_call_path, run_path
from entracte.core.blueprint import Blueprint
from entracte.core.client_calls.client import CLIENT, GRANT_LASTS, IDLE
from entracte.core.client_calls.opening import takes_calls
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.journal import EventRecord
from entracte.core.documents.latest_call import LatestCall
from entracte.core.documents.run import Run
from entracte.core.entry import action_entry, frame_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put
from entracte.core.payload import Payload, digest
from entracte.core.situation import Docs, Situation
from entracte.core.tool_spec import ToolSpec

Answer = Literal["held", "granted", "denied", "happened", "under_way", "lost", "new", "again"]
"""What a call comes to: an equal one waits for a person; was approved and is made now; was denied; happened, says a
person; is being made; was begun by a process that has died; or there is none, and this one is new. `again`: the run
takes no calls any more, or another client was faster: ask anew."""


class Asked(Struct, frozen=True):
    """What a call comes to, and the action that says so. The outcome writes nothing for an earlier action."""

    answer: Answer
    action: Action | None
    outcome: Outcome


def key_of(owner: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """Where equal calls meet. They are those of one owner: what another's client asks for is nobody's grant."""
    return digest([owner, tool, dict(arguments)])[7:47]


def is_free(blueprint: Blueprint, tool: ToolSpec) -> bool:
    """Whether a call of it may be made at any time, as often as one likes: it changes nothing, and nobody is asked."""
    rule = blueprint.policy.rule_for(tool)
    return rule.is_readonly and rule.gate == "never"


def ask(s: Situation, run_id: str, tool: ToolSpec, arguments: Mapping[str, Any]) -> Asked:
    """What the call comes to.

    The tool is not free. The documents have the run and its frame, and the latest equal call with its action and run.

    Raises:
        InvalidInput: The arguments cannot be kept.
    """
    run, frame = s.docs.run(run_id), s.docs.frame(run_id, run_id)
    if run is None or frame is None or not takes_calls(s.docs, run_id):
        return Asked("again", None, Outcome())
    key = key_of(run.owner, tool.name, arguments)
    latest = s.docs.latest_call(key)
    if latest is not None and s.docs.unread((run_path(latest.run), action_path(latest.run, latest.action))):
        return Asked("again", None, Outcome())
    if latest is not None and (earlier := s.docs.action(latest.run, latest.action)) is not None:
        answer = _of_earlier(s, latest, earlier, tool)
        if answer == "happened":
            told = Put(latest_call_path(key), latest.evolve(told=True))
            return Asked(answer, earlier, Outcome(puts=(told,), entry=action_entry(s, earlier, "told", phase="call")))
        if answer != "new":
            return Asked(answer, earlier, Outcome())
    action = proposed(s, frame, tool, arguments)
    return Asked("new", action, _propose(s, run, frame, action, key, latest))


def _of_earlier(s: Situation, latest: LatestCall, earlier: Action, tool: ToolSpec) -> Answer:
    run = s.docs.run(earlier.run)
    if run is None:
        return "new"
    match earlier.status:
        case "gated" | "unknown" if earlier.awaits_person and not run.closed:
            return "held"
        case "approved" if not run.closed:
            return "granted"
        case "denied" if earlier.ended is not None and s.now - earlier.ended < GRANT_LASTS:
            return "denied"
        case "applied" if earlier.result is None and not latest.told:  # whoever asked never got its end
            return "happened"
        case "started" if not tool.idempotent and earlier.lease is not None:
            return "under_way" if earlier.lease.expires > s.now else "lost"
        case _:
            return "new"


def proposed(s: Situation, frame: Frame, tool: ToolSpec, arguments: Mapping[str, Any]) -> Action:
    """The call as an action: each is a step of its own."""
    step = frame.cursor.step + 1
    return Action(
        id=action_id(frame.id, step, 0),
        run=frame.run,
        session=frame.session,
        frame=frame.id,
        owner=frame.owner,
        agent=CLIENT,
        kind="tool",
        tool=tool.name,
        step=step,
        index=0,
        calls=1,
        effect=tool.effect,
        arguments=Payload.of(dict(arguments)),
        created=s.now,
    )


def _propose(s: Situation, run: Run, frame: Frame, action: Action, key: str, latest: LatestCall | None) -> Outcome:
    after = moved_on(s, frame, action).evolve(pending=(*still_pending(s.docs, frame), action.id))
    new = LatestCall(key=key, owner=run.owner, run=run.id, action=action.id, at=s.now)
    named = (latest or new).evolve(run=run.id, action=action.id, told=False, at=s.now, expires=s.kept_until)
    return Outcome(
        puts=(
            Put(frame_path(run.id, frame.id), after),
            Put(action_path(run.id, action.id), action),
            Put(latest_call_path(key), named),
            *awake(s, run),
        ),
        verifies=(run_path(run.id),),
        entry=frame_entry(s, after, f"{action.step}.asked", phase="call", events=(asked_event(action),)),
    )


def moved_on(s: Situation, frame: Frame, action: Action) -> Frame:
    """The frame at the step of its new call."""
    cursor = Cursor(step=action.step, phase="execute")
    return frame.evolve(cursor=cursor, calls=1, moved=s.now, due=s.now + IDLE, sweeps=0, worker=s.worker)


def awake(s: Situation, run: Run) -> tuple[Put, ...]:
    """The run, if it was parked because only people were awaited."""
    if run.status != "waiting":
        return ()
    return (Put(run_path(run.id), run.evolve(status="running", parked=None, updated=s.now)),)


def asked_event(action: Action) -> EventRecord:
    """Tells what the client asks for, as the choice of an agent is told."""
    return record("plan.ready", calls=[{"action": action.id, "tool": action.tool, "arguments": action.arguments.value}])


def still_pending(docs: Docs, frame: Frame) -> tuple[str, ...]:
    """Those of the frame's pending calls that have not ended, as far as the documents tell."""
    known = {id: docs.action(frame.run, id) for id in frame.pending}
    return tuple(id for id, action in known.items() if action is None or not action.is_ended)
