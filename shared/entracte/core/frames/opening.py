"""Opening frames: the root frame of a run, and the frame of a sub-agent call."""

from __future__ import annotations

from typing import Any

from entracte.core.addresses import action_id, action_path, frame_path
from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.budget import Limits, Share
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.due import PHASE_DUE, execute_message, plan_message, step_ended_message
from entracte.core.frames.moving import moved
from entracte.core.frames.spending import cost_of, shortage
from entracte.core.messages import Message
from entracte.core.outcome import Put
from entracte.core.payload import Payload
from entracte.core.situation import Situation
from entracte.core.validation import faults
from entracte.errors import InvalidInput


def check_input(agent: AgentSpec, value: Any) -> None:
    """Raise InvalidInput when an agent cannot be asked with this value."""
    found = faults(value, agent.input)
    if found:
        pointer, words = found[0]
        raise InvalidInput(
            f"Agent {agent.name!r} cannot be asked with this input: {words}, at {pointer or 'the top'}.",
            remedy="Its input schema is shown by GET /v1/network.",
            pointer=f"/input{pointer}",
        )


def open_frame(
    s: Situation,
    agent: AgentSpec,
    *,
    frame_id: str,
    run: str,
    session: str,
    owner: str,
    value: Payload,
    share: Share,
    limits: Limits,
    parent: str = "",
    depth: int = 1,
    unsorted: bool = False,
) -> tuple[tuple[Put, ...], tuple[Message, ...]]:
    """The documents of a new frame and the message that sets it off: plan, or execute of the initial tool.

    Args:
        share: What the frame may spend.
        limits: The whole run's, for telling an agent what has been used up.
        unsorted: A router says first whose frame it is.
    """
    frame = Frame(
        id=frame_id,
        run=run,
        session=session,
        owner=owner,
        agent=agent.name,
        parent=parent,
        depth=depth,
        cursor=first_cursor(agent),
        input=value,
        share=share,
        moved=s.now,
        due=s.now + PHASE_DUE,
        worker=s.worker,
    )
    if unsorted:
        frame = frame.evolve(cursor=Cursor(step=1, phase="route"))
        return (Put(frame_path(run, frame_id), frame),), (plan_message(frame, step=1),)
    frame, puts, messages = set_off(s, agent, frame, limits)
    return (Put(frame_path(run, frame_id), frame), *puts), messages or (plan_message(frame, step=1),)


def set_off(
    s: Situation, agent: AgentSpec, frame: Frame, limits: Limits
) -> tuple[Frame, tuple[Put, ...], tuple[Message, ...]]:
    """The agent's frame where it begins; with an initial tool, its action and the message that brings it forward."""
    if not agent.initial_tool:
        begun = moved(s, frame, cursor=first_cursor(agent))
        return begun, (), ()
    begun = moved(s, frame, cursor=Cursor(step=0, phase="execute"), calls=1)
    action = initial_action(s, s.blueprint, agent, begun)
    if refusal := shortage(frame.share, cost_of(action), limits):
        action = action.evolve(status="failed", error=refusal, ended=s.now)
        message = step_ended_message(action, light=agent.light)
    else:
        begun = begun.evolve(share=frame.share.minus(cost_of(action)))
        message = execute_message(action)
    return begun, (Put(action_path(frame.run, action.id), action),), (message,)


def first_cursor(agent: AgentSpec) -> Cursor:
    """Where a frame begins to think. Light agents have no state to interpret a request against."""
    return Cursor(step=1, phase="plan" if agent.light else "interpret")


def initial_action(s: Situation, blueprint: Blueprint, agent: AgentSpec, frame: Frame) -> Action:
    """Step 0: the initial tool, called with those of the input's values that it takes."""
    tool = blueprint.tools[agent.initial_tool]
    taken = set(tool.parameters.get("properties", {}))
    value = frame.input.value
    arguments = {name: item for name, item in value.items() if name in taken} if isinstance(value, dict) else {}
    return Action(
        id=action_id(frame.id, 0, 0),
        run=frame.run,
        session=frame.session,
        frame=frame.id,
        owner=frame.owner,
        agent=frame.agent,
        kind="tool",
        tool=tool.name,
        step=0,
        index=0,
        calls=1,
        effect=tool.effect,
        arguments=Payload.of(arguments),
        created=s.now,
    )
