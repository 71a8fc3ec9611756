"""The session document and its turns: a conversation."""

from __future__ import annotations

from datetime import datetime

from msgspec import field

from entracte.core.conversation.window import History
from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.documents.line import Line, Speaker, cut, line_of
from entracte.core.state import Drawer

TURN_CHARS = 200_000
"""Longest text of a turn document, which must fit into a store; the whole is the run's input or output."""


class Session(Document, frozen=True, kw_only=True):
    """A conversation: what all of its runs share.

    Attributes:
        state: Global state, shared by all agents.
        turns: Number of turn documents.
        window: Latest turns, shortened; what goes into the context.
        opening, summary: The first turns, and a summary of those between them and the window, once there were so many
            that some were summed up; see `entracte.core.conversation.window`.
        client_run: Of an MCP client's session: the run that its calls go to.
        expires: When retention looks whether anything of it is still needed; None for never.
    """

    id: str
    owner: str
    state: dict[str, Drawer] = field(default_factory=dict)
    turns: int = 0
    window: tuple[Line, ...] = ()
    opening: tuple[Line, ...] = ()
    summary: str = ""
    client_run: str = ""
    created: AwareDatetime
    updated: AwareDatetime
    expires: AwareDatetime | None = None

    @property
    def history(self) -> History:
        """What was said, as far as the session remembers it."""
        return History(opening=self.opening, summary=self.summary, latest=self.window)

    def with_history(self, history: History) -> Session:
        """The session with its messages summed up."""
        return self.evolve(opening=history.opening, summary=history.summary, window=history.latest)

    def with_turn(self, role: Speaker, text: str, now: datetime, did: tuple[str, ...] = ()) -> Session:
        """The session after one more turn.

        Args:
            did: What the assistant thought and called before it said this, a line each.
        """
        longer = self.evolve(turns=self.turns + 1, window=(*self.window, line_of(role, text, did)), updated=now)
        history = longer.history
        return longer if (bounded := history.bounded()) is history else longer.with_history(bounded)


class Turn(Document, frozen=True, kw_only=True):
    """One message of the user or the assistant, or what the system says of earlier ones.

    Attributes:
        did: What the assistant thought and called before it said this, a line each.
    """

    session: str
    run: str
    number: int
    role: Speaker
    text: str
    did: tuple[str, ...] = ()
    at: AwareDatetime

    @classmethod
    def of(
        cls, session: Session, *, run: str, role: Speaker, text: str, now: datetime, did: tuple[str, ...] = ()
    ) -> Turn:
        """The latest turn of a session."""
        text = cut(text, TURN_CHARS)
        return cls(session=session.id, run=run, number=session.turns, role=role, text=text, did=did, at=now)
