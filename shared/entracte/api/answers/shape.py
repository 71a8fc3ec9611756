"""What the shapes of all answers have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """Closed, so that a test notices when the description falls behind."""

    model_config = ConfigDict(extra="forbid")


class Page(Answer):
    """Part of a list."""

    next_cursor: str | None = Field(description="Send it as `cursor` to get the next page; null on the last.")
