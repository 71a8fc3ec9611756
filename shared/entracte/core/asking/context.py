"""What the model sees: built afresh from state for each request, so that it grows with state and not with history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import to_builtins

from entracte.core.asking import prompts
from entracte.core.asking.bare_message import bare_message
from entracte.core.asking.conversation import conversation_text, notices_text
from entracte.core.asking.reply_schemas import evaluate_schema, interpret_schema
from entracte.core.asking.roles import ROLE_OF, model_for
from entracte.core.asking.shown_state import state_json
from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.frames.spending import scarce
from entracte.core.local_time import local_time
from entracte.core.modelling import ModelRequest, Part, Purpose, ToolChoice, ToolSchema

RESULT_CHARS = 20_000
"""Longest text of one result in a request; the whole stays with its action."""


def interpret_request(
    blueprint: Blueprint, run: Run, frame: Frame, session: Session, now: datetime, desk: str = ""
) -> ModelRequest:
    """Ask what the request means: goals, tasks, and what will not be needed.

    Args:
        desk: Active artifacts, as text.
    """
    agent = blueprint.agents[frame.agent]
    choices = "\n".join(f"- {name}: {blueprint.tools[name].summary}" for name in agent.tools)
    others = "\n".join(f"- {name}: {blueprint.agents[name].summary}" for name in agent.agents)
    parts = (
        *_common_parts(blueprint, agent, frame, session),
        Part("tools", choices),
        Part("agents", others),
        Part("artifacts", desk),
        _status(blueprint, agent, run, frame, now),
        Part("input", input_text(frame)),
    )
    schema = interpret_schema(blueprint.state, agent.tools, agent.agents)
    return _request(blueprint, run, frame, "interpret", [agent.prompt, prompts.INTERPRET], parts, schema=schema)


def choose_request(
    blueprint: Blueprint,
    run: Run,
    frame: Frame,
    session: Session,
    now: datetime,
    exchanges: Iterable[tuple[str, str]] = (),
    desk: str = "",
    *,
    closing: bool = False,
) -> ModelRequest:
    """Ask for the next calls or the final answer.

    Args:
        desk: Active artifacts, as text.
        exchanges: Calls and results of a light agent's steps so far, as text.
        closing: Ask for the answer at once, since there is no budget for more.
    """
    agent = blueprint.agents[frame.agent]
    if frame.cursor.phase == "execute":  # of a light agent: no evaluate has moved it on
        frame = frame.evolve(cursor=Cursor(step=frame.cursor.step + 1, phase="plan"))
    step = frame.cursor.step
    last = step >= agent.max_steps
    tools = () if last or closing else enabled(blueprint, agent, frame)
    choose = prompts.CHOOSE_LIGHT if agent.light else prompts.CHOOSE
    rules = [agent.prompt, choose if tools else prompts.CHOOSE_WITHOUT_CALLS]
    if closing:
        rules.append(prompts.BUDGET_GONE)
    elif last and agent.max_steps > 1:
        rules.append(prompts.LAST_STEP)
    if step > 1 and not agent.light:
        rules.append(prompts.CITE)
    parts = (
        *_common_parts(blueprint, agent, frame, session),
        Part("artifacts", desk),
        *(Part(f"step {number}", f"{calls}\n{results}") for number, (calls, results) in enumerate(exchanges, 1)),
        _status(blueprint, agent, run, frame, now),
        Part("feedback", "\n".join(f"- {line}" for line in frame.feedback)),
        Part("input", input_text(frame)),
    )
    return _request(
        blueprint,
        run,
        frame,
        "plan",
        rules,
        parts,
        schema=agent.output,
        tools=tools,
        tool_choice=agent.tool_choice if step == 1 and not agent.initial_tool else "auto",
        max_calls=run.limits.parallel_calls,
    )


def evaluate_request(
    blueprint: Blueprint, run: Run, frame: Frame, session: Session, actions: Sequence[Action], now: datetime
) -> ModelRequest:
    """Ask what the results of a step are worth and what of them to keep."""
    agent = blueprint.agents[frame.agent]
    may_call = next_tools(blueprint, agent, frame)
    parts = (
        *_common_parts(blueprint, agent, frame, session),
        Part("tools", _json([to_builtins(tool) for tool in may_call]) if may_call else ""),
        _status(blueprint, agent, run, frame, now),
        Part("feedback", "\n".join(frame.feedback[len(frame.feedback) - frame.repairs :])),
        Part("input", input_text(frame)),
        Part("results", _json([shown_result(action, blueprint) for action in actions])),
    )
    schema = evaluate_schema(
        blueprint.state, [label_of(action) for action in actions], [tool.name for tool in may_call]
    )
    rules = [agent.prompt, prompts.EVALUATE, *([prompts.EVALUATE_FUSED] if may_call else [])]
    return _request(blueprint, run, frame, "evaluate", rules, parts, schema=schema)


def next_tools(blueprint: Blueprint, agent: AgentSpec, frame: Frame) -> tuple[ToolSchema, ...]:
    """What a fused agent may call in the step after this one: nothing before its first plan, and in its last step."""
    follows = 1 <= frame.cursor.step < agent.max_steps - 1
    return enabled(blueprint, agent, frame) if agent.fused and follows else ()


def enabled(blueprint: Blueprint, agent: AgentSpec, frame: Frame) -> tuple[ToolSchema, ...]:
    """Tools and agents that the frame may call, as the model is shown them."""
    tools = (blueprint.tools[name] for name in agent.tools if name not in frame.disabled_tools)
    agents = (blueprint.agents[name] for name in agent.agents if name not in frame.disabled_agents)
    return (
        *(
            ToolSchema(name=t.name, description=_lines(t.summary, t.instruction), parameters=t.parameters)
            for t in tools
        ),
        *(ToolSchema(name=a.name, description=_lines(a.summary, a.instruction), parameters=a.input) for a in agents),
    )


def input_text(frame: Frame) -> str:
    """What the agent was asked with: the bare message where there is nothing else, else JSON."""
    asked = bare_message(frame.input.value)
    return asked if isinstance(asked, str) else _json(asked)


def label_of(action: Action) -> str:
    """What a model calls a call of the step. Its id is long to copy, and would make a new schema of every step."""
    return str(action.index + 1)


def shown_result(action: Action, blueprint: Blueprint) -> dict[str, Any]:
    """One call and its end, beside the criterion by which it is judged."""
    tool = blueprint.tools.get(action.tool)
    shown: dict[str, Any] = {
        "call": label_of(action),
        "tool": action.tool,
        "arguments": action.called_with.value,
    }
    if tool is not None and tool.evaluation:
        shown["criterion"] = tool.evaluation
    shown["status"] = "ok" if action.status == "applied" else action.status
    if action.result is not None:
        shown["result"] = (
            _shortened(action.result.text) if len(action.result.text) > RESULT_CHARS else action.result.value
        )
    if action.error:
        shown["error"] = action.error
    return shown


def _common_parts(blueprint: Blueprint, agent: AgentSpec, frame: Frame, session: Session) -> tuple[Part, ...]:
    """What changes least comes first: services reuse what they have read of a request that began the same."""
    parts = [Part("knowledge", agent.knowledge)]
    if not frame.parent:  # a sub-agent has its own context: what it is asked, and the shared state
        parts.append(Part("memories", "\n".join((prompts.MEMORIES, *frame.recalled)) if frame.recalled else ""))
        parts.append(Part("conversation", conversation_text(session.history)))
    else:
        parts.append(Part("notices", notices_text(session.history)))
    if not agent.light:
        hints = (f"- {name}: {key.description} {key.how_to}" for name, key in blueprint.state.items())
        parts += [Part("state_keys", "\n".join(hints)), Part("state", _json(state_json(session, frame)))]
    return tuple(parts)


def _status(blueprint: Blueprint, agent: AgentSpec, run: Run, frame: Frame, now: datetime) -> Part:
    local = local_time(now, run.time_zone)
    return Part(
        "status",
        f"It is {local:%A %Y-%m-%d %H:%M} ({local.tzinfo}). Step {frame.cursor.step} of {agent.max_steps}. "
        f"Left: {max(0, frame.share.actions)} calls, {max(0, frame.share.writes)} changes. "
        f"Long-term memory is {'on' if blueprint.memory is not None else 'off'}.{_warning(run, frame, now)}",
    )


def _warning(run: Run, frame: Frame, now: datetime) -> str:
    """Said before the budget is gone, so that what matters most can still be done."""
    lacking = ", ".join(scarce(run, frame, now))
    return f" Little is left of {lacking}: do only what matters most, then answer." if lacking else ""


def _request(
    blueprint: Blueprint,
    run: Run,
    frame: Frame,
    purpose: Purpose,
    rules: Sequence[str],
    parts: Sequence[Part],
    *,
    schema: Mapping[str, Any] | None,
    tools: tuple[ToolSchema, ...] = (),
    tool_choice: ToolChoice = "auto",
    max_calls: int = 8,
) -> ModelRequest:
    agent = blueprint.agents[frame.agent]
    return ModelRequest(
        purpose=purpose,
        run=run.id,
        frame=frame.id,
        agent=frame.agent,
        step=frame.cursor.step,
        model=model_for(ROLE_OF[purpose], blueprint, agent, run.models),
        system="\n\n".join(rules),
        parts=tuple(part for part in parts if part.text),
        tools=tools,
        tool_choice=tool_choice,
        max_calls=max_calls,
        schema=schema,
        max_output_tokens=agent.max_output_tokens * 2**frame.cut_offs,
        temperature=agent.temperature,
    )


def _shortened(text: str) -> str:
    return f"{text[:RESULT_CHARS]} … ({len(text) - RESULT_CHARS:,} more characters are kept, not shown)"


def _lines(summary: str, instruction: str) -> str:
    return f"{summary}\n{instruction}".strip()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
