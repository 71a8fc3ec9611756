"""Shapes of events and journals in answers, for the API's description. `entracte.core.events` makes the events."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from entracte.api.answers.shape import Answer, Page
from entracte.api.answers.usage import Usage
from entracte.core.documents.journal import EventType


class EventAnswer(Answer):
    """Something that happened."""

    v: Literal[1]
    type: EventType
    run_id: str
    frame_id: str
    agent: str
    parents: list[str]
    step: int
    phase: str
    at: datetime
    duration_ms: int
    usage: Usage
    data: Any


class EntryAnswer(Answer):
    """One move of a run: what was committed together."""

    id: str
    frame: str
    agent: str
    step: int
    phase: str
    at: datetime
    duration_ms: int
    usage: Usage
    served: str = Field(description="Model version that answered; empty if none was asked.")
    events: list[EventAnswer]


class EntryPage(Page):
    """Part of a run's journal."""

    items: list[EntryAnswer]
