"""Shapes of memories in answers, for the API's description."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from entracte.api.answers.shape import Answer, CountedPage
from entracte.core.documents.memory_item import Category


class MemoryAnswer(Answer):
    """One thing that is remembered."""

    id: str
    text: str
    category: Category
    tags: list[str]
    date: str = Field(description="Day on which it was said, such as 2026-11-30.")
    persona: str = Field(description="Character whose memory it is; empty for everybody's.")
    run: str = Field(description="Run that it comes from; empty for none.")
    created: datetime


class MemoryPage(CountedPage):
    """Part of what is remembered."""

    items: list[MemoryAnswer]


class MemoryExport(Answer):
    """All that is remembered of somebody."""

    owner: str
    memories: list[MemoryAnswer]
    unreadable: int = Field(description="How many were left out, since they cannot be read.")


class Forgotten(Answer):
    """What was deleted."""

    forgotten: int = Field(description="How many memories there were.")
