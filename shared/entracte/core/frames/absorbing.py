"""Taking the ended calls of a step into their frame: usage, errors, directives, and what was called before already."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from entracte.core.asking.reply_notes import answer_faults
from entracte.core.blueprint import AgentSpec
from entracte.core.budget import spend
from entracte.core.conversation.trail import with_actions
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.frames.repetition import count_repeats


class Absorbed(Struct, frozen=True, kw_only=True):
    """A frame with its step's calls taken in.

    Attributes:
        diffs: State diffs that tools and hooks made, in order.
        told: What the agent is told about the calls.
        terminate: Final answer that a tool or hook gave and that the agent may give, or None.
        looping: Why the frame goes round in circles, in words; empty if it does not.
        news: A call applied and gave something that it had not given before.
    """

    frame: Frame
    diffs: tuple[Mapping[str, Any], ...]
    told: tuple[str, ...]
    terminate: Any
    looping: str
    news: bool


def absorb(frame: Frame, actions: Sequence[Action], agent: AgentSpec | None) -> Absorbed:
    """Take the calls in. Verdicts and state are evaluate's business.

    Args:
        agent: Whose frame it is; None when the network has it no more.
    """
    directives = [action.directives.value for action in actions if action.directives is not None]
    repetition = count_repeats(frame.repeats, actions)
    told: list[str] = []
    usage, share = frame.usage, frame.share
    for action in actions:
        usage = usage + action.usage
        if action.kind == "tool":
            share = share.minus(spend(action.usage))
        elif action.unspent is not None:
            share = share.plus(action.unspent)
        if action.error and action.status != "applied":
            told.append(f"{action.tool} {action.status}: {action.error}")
    told += repetition.told
    terminate = next((d["terminate"] for d in directives if d["terminate"] is not None), None)
    if terminate is not None and agent is not None and (unfit := answer_faults(agent, terminate)):
        told.append(f"A tool gave a final answer that does not fit, so you go on: {unfit}")
        terminate = None
    tools, agents = (agent.tools, agent.agents) if agent is not None else ((), ())
    return Absorbed(
        frame=frame.evolve(
            usage=usage,
            share=share,
            trail=frame.trail if frame.parent else with_actions(frame.trail, actions),
            repeats=repetition.repeats,
            disabled_tools=_joined(frame.disabled_tools, directives, "disabled_tools", tools),
            disabled_agents=_joined(frame.disabled_agents, directives, "disabled_agents", agents),
        ),
        diffs=tuple(diff for d in directives for diff in d["state"]),
        told=tuple(told),
        terminate=terminate,
        looping=repetition.looping,
        news=repetition.news,
    )


def _joined(
    before: tuple[str, ...], directives: Sequence[Mapping[str, Any]], what: str, known: Sequence[str]
) -> tuple[str, ...]:
    """The names with those that were disabled since, as far as the agent has them at all."""
    return tuple(dict.fromkeys((*before, *(name for d in directives for name in d[what] if name in known))))


def as_exchange(actions: Sequence[Action]) -> tuple[str, str]:
    """Calls and results of a step as text, for a light agent's message list."""
    calls = "; ".join(f"{action.tool}({action.called_with.text})" for action in actions)
    results = [
        action.result.value if action.result is not None else f"{action.status}: {action.error}" for action in actions
    ]
    return _cut(calls, 2000), _cut(json.dumps(results, ensure_ascii=False), 20_000)


def _cut(text: str, chars: int) -> str:
    """The text, cut to so many characters, and to three times as many bytes: ten exchanges have to fit a document."""
    return text[:chars].encode()[: 3 * chars].decode(errors="ignore")
