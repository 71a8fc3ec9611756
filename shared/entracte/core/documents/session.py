"""The session document and its turns: a conversation."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from entracte.core.documents.base import Document
from entracte.core.state import Drawer

WINDOW = 20
"""Latest turns that the session document itself carries."""

EXCERPT_CHARS = 4000
"""Longest text of a turn in the window; the turn document has the whole."""


class Line(BaseModel):
    """A turn as the window shows it."""

    model_config = ConfigDict(frozen=True)

    role: Literal["user", "assistant"]
    text: str


class Session(Document):
    """A conversation: what all of its runs share.

    Attributes:
        state: Global state, shared by all agents.
        turns: Number of turn documents.
        window: Latest turns, shortened; what goes into the context.
    """

    id: str
    owner: str
    state: dict[str, Drawer] = Field(default_factory=dict)
    turns: int = 0
    window: tuple[Line, ...] = ()
    created: datetime
    updated: datetime

    def with_turn(self, role: Literal["user", "assistant"], text: str, now: datetime) -> Session:
        """The session after one more turn."""
        excerpt = text if len(text) <= EXCERPT_CHARS else f"{text[:EXCERPT_CHARS]} … ({len(text):,} characters)"
        window = (*self.window, Line(role=role, text=excerpt))[-WINDOW:]
        return self.evolve(turns=self.turns + 1, window=window, updated=now)


class Turn(Document):
    """One message of the user or the assistant, whole."""

    session: str
    run: str
    number: int
    role: Literal["user", "assistant"]
    text: str
    at: datetime
