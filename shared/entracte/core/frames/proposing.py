"""From the calls that a model wants to actions: what cannot be called is an action that has failed already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from entracte.core.addresses import action_id
from entracte.core.budget import Share
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.frames.spending import cost_of, shortage
from entracte.core.modelling import WantedCall
from entracte.core.payload import Payload, error_text
from entracte.core.situation import Situation
from entracte.errors import InvalidInput


def propose(s: Situation, run: Run, frame: Frame, wanted: Sequence[WantedCall]) -> tuple[tuple[Action, ...], Share]:
    """The actions of a step, and what the frame may still spend once their counts and shares are reserved."""
    actions: list[Action] = []
    left = frame.share
    for index, call in enumerate(wanted):
        action, refusal = _propose_one(s, run, frame, call, index, len(wanted))
        cost = cost_of(action)
        if refusal := refusal or shortage(left, cost, run.limits):
            action = action.evolve(status="failed", error=error_text(refusal), ended=s.now)
        else:
            left = left.minus(cost)
        actions.append(action)
    return _with_shares(actions, left)


def _propose_one(s: Situation, run: Run, frame: Frame, call: WantedCall, index: int, calls: int) -> tuple[Action, str]:
    """One action, and why it cannot be called, or an empty string."""
    agent = s.blueprint.agents[frame.agent]
    tools = [name for name in agent.tools if name not in frame.disabled_tools]
    agents = [name for name in agent.agents if name not in frame.disabled_agents]
    arguments, refusal = _payload(call.arguments)
    if call.tool not in tools and call.tool not in agents:
        refusal = f"There is no tool {call.tool[:100]!r}. You can call: {', '.join([*tools, *agents]) or 'nothing'}."
    elif call.tool in agents and frame.depth >= run.limits.depth:
        refusal = f"Agents may call each other {run.limits.depth} deep; this would be deeper."
    tool = s.blueprint.tools.get(call.tool)
    action = Action(
        id=action_id(frame.id, frame.cursor.step, index),
        run=frame.run,
        session=frame.session,
        frame=frame.id,
        owner=frame.owner,
        agent=frame.agent,
        kind="agent" if call.tool in agents else "tool",
        tool=call.tool[:200],
        step=frame.cursor.step,
        index=index,
        calls=calls,
        effect=tool.effect if tool is not None else "changing",
        arguments=arguments,
        created=s.now,
    )
    return action, refusal


def _payload(arguments: Any) -> tuple[Payload, str]:
    try:
        if isinstance(arguments, dict):
            return Payload.of(arguments), ""
        return Payload.of({}), f"Arguments must be a JSON object, not {type(arguments).__name__}."
    except InvalidInput as error:
        return Payload.of({}), str(error)


def _with_shares(actions: list[Action], left: Share) -> tuple[tuple[Action, ...], Share]:
    """Give each agent call an equal part of what is left, and keep one part for the frame itself."""
    delegated = [action for action in actions if action.kind == "agent" and action.status == "proposed"]
    if not delegated:
        return tuple(actions), left
    part = left.cut(len(delegated) + 1)
    for action in delegated:
        actions[action.index] = action.evolve(share=part)
        left = left.minus(part)
    return tuple(actions), left
