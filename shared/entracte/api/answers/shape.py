"""What the shapes of all answers have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """Closed, so that a test notices when the description falls behind."""

    model_config = ConfigDict(extra="forbid")


class Page(Answer):
    """Part of a list."""

    next_cursor: str | None = Field(description="Send it as `cursor` to get the next page; null on the last.")


class CountedPage(Page):
    """Part of a list that leaves out what cannot be read."""

    unreadable: int = Field(description="How many were left out of the page, since they cannot be read.")
