"""What an agent thought and did before it answered, one line each, for the runs that follow in its session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from entracte.core.documents.action import Action

ARGUMENT_CHARS = 500
"""A longer argument is said to be so many characters long, and nothing of it is shown."""

LINE_CHARS = 700
THOUGHT_CHARS = 200

MAX_LINES = 12
"""Lines that one answer keeps, the latest. State has what came of the earlier ones."""


def with_thought(trail: tuple[str, ...], thought: str) -> tuple[str, ...]:
    """The trail after the model has said why it does what it does; unchanged if it said nothing."""
    said = " ".join(thought.split())
    return _bounded((*trail, f"thought: {_cut(said, THOUGHT_CHARS)}")) if said else trail


def with_actions(trail: tuple[str, ...], actions: Sequence[Action]) -> tuple[str, ...]:
    """The trail after a step's calls have ended."""
    return _bounded((*trail, *map(action_line, actions)))


def action_line(action: Action) -> str:
    """One call and how it ended."""
    end = "ok" if action.status == "applied" else action.status
    why = f": {_cut(' '.join(action.error.split()), THOUGHT_CHARS)}" if action.error else ""
    return f"{call_line(action, LINE_CHARS)} → {end}{why}"


def call_line(action: Action, chars: int) -> str:
    """One call as it was made, in so many characters."""
    value = action.called_with.value
    given = value if isinstance(value, dict) else {"arguments": value}
    arguments = ", ".join(f"{name}={_argument(argument)}" for name, argument in given.items())
    return _cut(f"{action.tool}({arguments})", chars)


def _argument(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    chars = len(value) if isinstance(value, str) else len(text)
    return text if chars <= ARGUMENT_CHARS else f"Content summarized: {chars} chars"


def _bounded(trail: tuple[str, ...]) -> tuple[str, ...]:
    return trail[-MAX_LINES:]


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[:chars]}…"
