"""Shapes of runs in answers, for the API's description. `entracte.runtime.services.rendering` makes the values."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from entracte.api.answers.gates import GateAnswer
from entracte.api.answers.shape import Answer, CountedPage
from entracte.api.answers.undo import UndoAnswer
from entracte.api.answers.usage import Limits, RunUsage
from entracte.core.documents.run import Status, StopReason


class Links(Answer):
    """What can be done with a run."""

    self: str
    journal: str
    events: str = Field(description="Server-sent events: what happens, while it happens.")
    gates: str
    cancel: str
    undo: str = Field(description="POST takes the run back; GET says what that would do.")


class Origin(Answer):
    """Where a fork began."""

    run: str
    step: int


class RunAnswer(Answer):
    """A run."""

    id: str
    status: Status
    stop_reason: StopReason
    agent: str
    route: str = Field(description="Route of the network's router that led to the agent; empty where none did.")
    session: str
    input: Any
    output: Any = Field(description="Final value; text unless the agent has an output schema. Null before the end.")
    text: str = Field(description="Final value as text.")
    error: str = Field(description="Why it failed or stalled, in words.")
    gates: list[GateAnswer] = Field(
        description="Decisions that the run waits for. Lists of runs leave them out, which saves a query for each run: "
        "follow `links.gates`, or list those that wait at `/v1/gates?status=waiting`."
    )
    undo: UndoAnswer | None = Field(description="How far its last undo has come; null when there was none.")
    forked_from: Origin | None = Field(description="Where it was forked from; null if it was started afresh.")
    usage: RunUsage
    models: dict[str, str] = Field(description="Models that the caller chose, by role.")
    budget: Limits
    metadata: dict[str, str]
    time_zone: str
    network: str
    network_version: str
    created: datetime
    updated: datetime
    expires: datetime | None = Field(description="When it will be deleted; null while it is open.")
    links: Links


class RunPage(CountedPage):
    """Part of the list of runs."""

    items: list[RunAnswer]
