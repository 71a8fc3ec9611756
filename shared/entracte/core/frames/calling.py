"""The calls of a step: their actions are written down, and each that may start gets its message."""

from __future__ import annotations

from collections.abc import Sequence

from entracte.core.addresses import action_path, frame_path
from entracte.core.asking.reply_notes import thought_events
from entracte.core.budget import Share
from entracte.core.conversation.trail import with_thought
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.due import execute_message, startable, step_ended_message
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.moving import moved
from entracte.core.frames.overload import under_way
from entracte.core.frames.proposing import propose
from entracte.core.modelling import ModelReply
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation

NOT_ASKED = ModelReply()
"""In place of a reply, where no model chose the calls."""


def call_next(s: Situation, run: Run, frame: Frame, reply: ModelReply) -> Outcome:
    """The calls that the model wants, as far as a step takes so many."""
    wanted = reply.calls[: run.limits.parallel_calls]
    actions, left = propose(s, run, frame, wanted)
    too_many = len(reply.calls) - len(wanted)
    told = (f"{too_many} calls too many were left out.",) if too_many else ()
    return begin_step(s, run, frame.evolve(feedback=told, trail=trail_of(frame, reply)), actions, left, reply)


def begin_step(
    s: Situation, run: Run, frame: Frame, actions: Sequence[Action], left: Share, reply: ModelReply = NOT_ASKED
) -> Outcome:
    """The frame with a step's actions.

    Args:
        left: What the frame may still spend.
    """
    after = moved(
        s,
        frame,
        cursor=Cursor(step=frame.cursor.step, phase="execute"),
        calls=len(actions),
        share=left,
        repairs=0,
        cut_offs=0,
    )
    shown = [{"action": action.id, "tool": action.tool, "arguments": action.arguments.value} for action in actions]
    failed = [
        record("tool.result", action=a.id, tool=a.tool, status=a.status, error=a.error) for a in actions if a.is_ended
    ]
    events = (*thought_events(reply), record("plan.ready", calls=shown), *failed)
    messages = tuple(execute_message(action) for action in startable(actions))
    if all(action.is_ended for action in actions):
        messages = (step_ended_message(actions[0], light=s.blueprint.is_light(frame.agent)),)
    return Outcome(
        puts=(
            Put(frame_path(run.id, frame.id), after),
            *(Put(action_path(run.id, action.id), action) for action in actions),
            *under_way(s, run),
        ),
        entry=frame_entry(
            s, after, f"{frame.cursor.step}.plan", phase="plan", events=events, usage=reply.usage, served=reply.served
        ),
        messages=messages,
    )


def trail_of(frame: Frame, reply: ModelReply) -> tuple[str, ...]:
    """What later runs of the session are told of the frame's thoughts and calls; nothing of sub-agents'."""
    return frame.trail if frame.parent else with_thought(frame.trail, reply.thought)
