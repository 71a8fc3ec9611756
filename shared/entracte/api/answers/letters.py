"""Letters, as the API shows them. `entracte.runtime.upkeep.letters` makes the values."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from entracte.api.answers.shape import Answer, Page


class LetterAnswer(Answer):
    """A message that nobody could read."""

    id: str
    source: str = Field(description="Function that it came to.")
    reason: str = Field(description="What is wrong with it.")
    size_bytes: int
    count: int = Field(description="How often one like it has come.")
    first: datetime
    last: datetime


class LetterPage(Page):
    """Part of the letters."""

    items: list[LetterAnswer]
