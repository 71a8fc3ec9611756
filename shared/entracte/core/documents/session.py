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
"""Longest text of a turn in the window; the turn document has more."""

TURN_CHARS = 200_000
"""Longest text of a turn document, which must fit into a store; the whole is the run's input or output."""


class Line(BaseModel):
    """A turn as the window shows it."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    role: Literal["user", "assistant"]
    text: str


class Session(Document):
    """A conversation: what all of its runs share.

    Attributes:
        state: Global state, shared by all agents.
        turns: Number of turn documents.
        window: Latest turns, shortened; what goes into the context.
        client_run: Of an MCP client's session: the run that its calls go to.
    """

    id: str
    owner: str
    state: dict[str, Drawer] = Field(default_factory=dict)
    turns: int = 0
    window: tuple[Line, ...] = ()
    client_run: str = ""
    created: datetime
    updated: datetime

    def with_turn(self, role: Literal["user", "assistant"], text: str, now: datetime) -> Session:
        """The session after one more turn."""
        window = (*self.window, line_of(role, text))[-WINDOW:]
        return self.evolve(turns=self.turns + 1, window=window, updated=now)


class Turn(Document):
    """One message of the user or the assistant."""

    session: str
    run: str
    number: int
    role: Literal["user", "assistant"]
    text: str
    at: datetime

    @classmethod
    def of(cls, session: Session, *, run: str, role: Literal["user", "assistant"], text: str, now: datetime) -> Turn:
        """The latest turn of a session."""
        text = _cut(text, TURN_CHARS)
        return cls(session=session.id, run=run, number=session.turns, role=role, text=text, at=now)


def line_of(role: Literal["user", "assistant"], text: str) -> Line:
    """A turn as the window shows it."""
    return Line(role=role, text=_cut(text, EXCERPT_CHARS))


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[:chars]} … ({len(text):,} characters)"
