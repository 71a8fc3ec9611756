"""What a client is told of its call: the server's own answer, or why there is none and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from entracte.core.documents.action import Action
from entracte.core.documents.gate import WORDS, Gate
from entracte.runtime.services.client_calls import Answered

Command = Callable[[str], str]
"""Makes a command of Entracte's that can be typed as it is, from words such as ``approve GATE``."""

Result = Mapping[str, Any]
"""A CallToolResult; or ``{"error": …}``, a JSON-RPC error."""


def answer(answered: Answered, command: Command) -> Result:
    """The answer to a call.

    A server's own answer is passed on as it came, unless it leaves in doubt whether something was changed.
    """
    action, gate, outcome = answered.action, answered.gate, answered.outcome
    match answered.answer, action.status:
        case (("new" | "granted"), _) if outcome is not None and outcome.ending != "unknown":
            if outcome.native is not None:
                return outcome.native
            return _value(outcome.result) if outcome.ending == "applied" else _error(outcome.error)
        case "under_way", _:
            return _error(
                f"UNDER WAY. The same call of {action.tool} is still being made, and is not made twice. "
                "Ask again in a while to learn what became of it."
            )
        case "happened", _:
            return _error(_happened(action))
        case _, "unknown" if gate is not None and gate.waiting:
            return _error(_in_doubt(action, gate, command))
        case _, "gated" if gate is not None:
            return _error(_held(gate, command))
        case "denied", _:
            return _error(f"DENIED. {action.error} Do not try it in another way; ask the person what they want.")
        case _:
            return _error(action.error or f"The call is {action.status}.")


def _held(gate: Gate, command: Command) -> str:
    lines = [
        f"HELD, and not made: a person has to approve it. Gate {gate.id}.",
        gate.question or f"Call {gate.z.tool}?",
        gate.why,
        f"To approve: {command(f'approve {gate.id}')}",
        f"To deny: {command(f'deny {gate.id}')}",
        "Once it is approved, make the same call again with exactly the same arguments.",
    ]
    return "\n".join(line for line in lines if line)


def _in_doubt(action: Action, gate: Gate, command: Command) -> str:
    ways = [f"  {command(f'answer {gate.id} {word}')}" for word in WORDS["in_doubt"]]
    return "\n".join(
        [
            f"IN DOUBT: {action.error or 'nobody knows whether this call did anything'}",
            "Do not repeat it.",
            f"A person has to find out, and say so at gate {gate.id}, with one of:",
            *ways,
        ]
    )


def _happened(action: Action) -> str:
    said = action.warnings[-1] if action.warnings else "A person says that it happened."
    return f"ALREADY MADE, and not made again: {said} What it returned is not known."


def _error(text: str) -> Result:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _value(value: Any) -> Result:
    """What a tool of this process gave, as servers give such values."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    structured = {"structuredContent": value} if isinstance(value, dict) else {}
    return {"content": [{"type": "text", "text": text}], **structured, "isError": False}
