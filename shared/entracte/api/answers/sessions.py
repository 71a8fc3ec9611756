"""Shapes of sessions in answers, for the API's description. `entracte.runtime.services.rendering` makes the values."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field, RootModel

from entracte.api.answers.shape import Answer, Page


class ItemAnswer(Answer):
    """One statement of state."""

    id: str
    text: str


class StateAnswer(RootModel[dict[str, list[ItemAnswer]]]):
    """Global state by key."""


class SessionAnswer(Answer):
    """A session without its turns."""

    id: str
    turns: int
    state: StateAnswer
    created: datetime
    updated: datetime


class TurnAnswer(Answer):
    """One message of a session. The system says what was taken back of what was said before."""

    number: int
    run: str
    role: Literal["user", "assistant", "system"]
    text: str
    at: datetime


class TurnPage(Page):
    """Part of a session's turns."""

    items: list[TurnAnswer]


class SessionExport(Answer):
    """Everything that a session holds."""

    format: str
    session: dict[str, Any] = Field(description="State, summary and latest messages, as they are kept.")
    turns: list[dict[str, Any]]
    artifacts: list[dict[str, Any]]
