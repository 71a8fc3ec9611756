"""JSON Schemas of what the model is asked to write, beside the calls that it chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from entracte.core.state import Key


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


def evaluate_schema(keys: Mapping[str, Key], calls: Sequence[str]) -> dict[str, Any]:
    """Verdicts on the calls of a step, what they add to state, and a word for the next plan."""
    verdict = _object(
        {"call": {"enum": list(calls)}, "verdict": {"enum": ["ok", "retry", "give_up"]}, "note": {"type": "string"}},
        required=["call", "verdict", "note"],
    )
    state = _object({name: {"type": "array", "items": _item()} for name in keys}, required=[])
    return _object(
        {"verdicts": {"type": "array", "items": verdict}, "state": state, "note": {"type": "string"}},
        required=["verdicts", "state"],
    )


def _object(properties: dict[str, Any], *, required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _texts() -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}}


def _item() -> dict[str, Any]:
    change = _object({"id": {"type": "string"}, "text": {"type": "string"}}, required=["id", "text"])
    return {"anyOf": [{"type": "string"}, change]}
