"""What somebody asked with."""

from __future__ import annotations

from typing import Any


def bare_message(value: Any) -> Any:
    """The input of a run or a frame: the message itself where there is nothing else in it."""
    return value["message"] if isinstance(value, dict) and list(value) == ["message"] else value
