"""Sub-agent calls: a child frame opens, and its end becomes the action's result."""

from __future__ import annotations

from entracte.core.addresses import action_path, frame_path, run_path
from entracte.core.budget import Share
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.due import step_ended_message
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.frames.opening import check_input, open_frame
from entracte.core.frames.stalling import without
from entracte.core.outcome import Outcome, Put
from entracte.core.payload import Payload, error_text
from entracte.core.situation import Situation
from entracte.errors import InvalidInput


def open_child(s: Situation, run: Run, action: Action) -> Outcome:
    """Start the action and the frame that it opens, in one commit. A child needs no lease: its own due covers it."""
    agent = s.agent(action.tool)
    arguments = action.arguments.value
    try:
        if agent is None:
            raise InvalidInput(f"There is no agent {action.tool!r} any more.")
        check_input(agent, arguments)
    except InvalidInput as error:
        ended = action.evolve(status="failed", error=error_text(str(error)), ended=s.now, unspent=action.share)
        event = record("tool.result", action=action.id, tool=action.tool, status="failed", error=ended.error)
        return Outcome(
            puts=(Put(action_path(run.id, action.id), ended),),
            entry=action_entry(s, action, "ended", events=(event,)),
            more=True,
        )
    puts, messages = open_frame(
        s,
        agent,
        frame_id=action.id,
        run=run.id,
        session=run.session,
        owner=run.owner,
        value=Payload.of(arguments),
        share=action.share or Share(),
        limits=run.limits,
        parent=action.id,
        depth=action.id.count(".") // 2 + 1,
    )
    started = action.evolve(status="started", attempt=1, started=s.now, effective=action.arguments)
    called = record("tool.called", action=action.id, tool=action.tool, attempt=1, arguments=arguments)
    return Outcome(
        puts=(Put(action_path(run.id, action.id), started), *puts),
        verifies=(run_path(run.id),),  # no call is begun after a cancel
        entry=action_entry(s, action, "1.started", events=(called,)),
        messages=messages,
    )


def take_child(s: Situation, action: Action, child: Frame) -> Outcome:
    """The child's answer is the action's result; what it did not spend goes back; it has nothing due any more."""
    answered = child.output is not None
    ended = action.evolve(
        status="applied" if answered else "failed",
        result=child.output,
        error="" if answered else f"{action.tool} ended without an answer ({child.stop_reason}). {child.error}".strip(),
        usage=child.usage,
        unspent=child.share,
        ended=s.now,
    )
    event = record(
        "tool.result",
        action=action.id,
        tool=action.tool,
        status=ended.status,
        result=child.output.value if child.output else None,
        error=ended.error,
    )
    alone = action.calls == 1
    run = s.docs.run(action.run)
    stalled = run is not None and child.id in run.stalled  # a late message: its end arrives after all
    return Outcome(
        puts=(
            Put(action_path(action.run, action.id), ended),
            Put(frame_path(action.run, child.id), child.evolve(due=None)),
            *((Put(run_path(action.run), without(s, run, (child.id,))),) if run is not None and stalled else ()),
        ),
        entry=action_entry(s, action, "ended", events=(event,)),
        messages=(step_ended_message(ended, light=s.blueprint.is_light(action.agent)),) if alone else (),
        more=not alone,
    )
