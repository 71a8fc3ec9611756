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
    return _object(properties, required=[name for name in ("goals", "tasks") if name in properties])


def evaluate_schema(keys: Mapping[str, Key], calls: Sequence[str], callable_next: Sequence[str] = ()) -> dict[str, Any]:
    """Verdicts on the calls of a step, what they add to state, and a word for the next plan.

    Args:
        callable_next: What a fused agent may call in the next step.
    """
    verdict = _object(
        {"call": {"enum": list(calls)}, "verdict": {"enum": ["ok", "retry", "give_up"]}, "note": _text()},
        required=["call", "verdict", "note"],
    )
    state = _object({name: {"type": "array", "items": _item(), "maxItems": MAX_ITEMS} for name in keys}, required=[])
    properties = {
        "verdicts": {"type": "array", "items": verdict, "maxItems": len(calls)},
        "state": state,
        "note": _text(),
    }
    if callable_next:
        call = _object(
            {"tool": {"enum": list(callable_next)}, "arguments": {"type": "object"}}, required=["tool", "arguments"]
        )
        properties["next"] = {"type": "array", "items": call, "maxItems": MAX_NEXT}
    return _object(properties, required=["verdicts", "state"])


def _object(properties: dict[str, Any], *, required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _texts() -> dict[str, Any]:
    return {"type": "array", "items": _text(MAX_PLAN_CHARS), "maxItems": MAX_PLANNED}


def _text(limit: int = MAX_CHARS) -> dict[str, Any]:
    return {"type": "string", "maxLength": limit}


def _item() -> dict[str, Any]:
    change = _object({"id": {"type": "string", "maxLength": 20}, "text": _text()}, required=["id", "text"])
    return {"anyOf": [_text(), change]}
