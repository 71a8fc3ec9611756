"""JSON Schemas of what the model is asked to write, beside the calls that it chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from entracte.core.state import Key

MAX_PLANNED, MAX_PLAN_CHARS = 6, 200
"""Goals, tasks and questions of a first look. A small model that nothing stops goes on for ever."""

MAX_NEXT = 8
"""Calls that a fused agent names; a run may take fewer in a step."""

MAX_ITEMS, MAX_CHARS = 12, 1000
"""State items of one evaluation, for each key."""


def interpret_schema(keys: Mapping[str, Key], tools: Sequence[str], agents: Sequence[str]) -> dict[str, Any]:
    """First look at a request: goals, tasks, and what will not be needed."""
    properties: dict[str, Any] = {
        name: _texts() for name, key in keys.items() if key.scope == "local" and name in ("goals", "tasks", "questions")
    }
    if tools:
        properties["unused_tools"] = {"type": "array", "items": {"enum": list(tools)}}
    if agents:
        properties["unused_agents"] = {"type": "array", "items": {"enum": list(agents)}}
    return closed_object(properties, required=[name for name in ("goals", "tasks") if name in properties])


def evaluate_schema(keys: Mapping[str, Key], calls: Sequence[str], callable_next: Sequence[str] = ()) -> dict[str, Any]:
    """Verdicts on the calls of a step, what they add to state, and a word for the next plan.

    Args:
        callable_next: What a fused agent may call in the next step.
    """
    verdict = closed_object(
        {"call": {"enum": list(calls)}, "verdict": {"enum": ["ok", "retry", "give_up"]}, "note": text_of()}
    )
    state = closed_object(
        {name: {"type": "array", "items": _item(), "maxItems": MAX_ITEMS} for name in keys}, required=[]
    )
    properties = {
        "verdicts": {"type": "array", "items": verdict, "maxItems": len(calls)},
        "state": state,
        "note": text_of(),
    }
    if callable_next:
        call = closed_object({"tool": {"enum": list(callable_next)}, "arguments": {"type": "object"}})
        properties["next"] = {"type": "array", "items": call, "maxItems": MAX_NEXT}
    return closed_object(properties, required=["verdicts", "state"])


def closed_object(properties: Mapping[str, Any], *, required: Sequence[str] | None = None) -> dict[str, Any]:
    """An object of these fields and no others.

    Args:
        required: Those that must be there; all of them by default.
    """
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def _texts() -> dict[str, Any]:
    return {"type": "array", "items": text_of(MAX_PLAN_CHARS), "maxItems": MAX_PLANNED}


def text_of(limit: int = MAX_CHARS) -> dict[str, Any]:
    """A text of at most so many characters."""
    return {"type": "string", "maxLength": limit}


def _item() -> dict[str, Any]:
    change = closed_object({"id": {"type": "string", "maxLength": 20}, "text": text_of()})
    return {"anyOf": [text_of(), change]}
