"""The journal document: what one commit did. Append-only."""

from __future__ import annotations

from typing import Literal

from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.evolving import Evolving
from entracte.core.modelling import Usage
from entracte.core.payload import Payload

EventType = Literal[
    "run.started",
    "run.routed",
    "plan.ready",
    "model.delta",
    "thought",
    "tool.called",
    "tool.progress",
    "tool.result",
    "state.updated",
    "gate.opened",
    "gate.decided",
    "artifact.saved",
    "memory.saved",
    "run.waiting",
    "run.resumed",
    "run.ended",
    "run.undone",
    "error",
]


class EventRecord(Evolving, frozen=True, kw_only=True):
    """One event as it is kept. `entracte.core.events` says what observers and clients get."""

    type: EventType
    data: Payload


class Entry(Document, frozen=True, kw_only=True):
    """What one commit did.

    Attributes:
        id: The move, such as ``{frame}.{step}.plan``; created with `create`, so that a move is made once.
        events: What observers are told, in order.
        usage: What model calls of this move used, those of unusable replies included.
        served: Model version that answered, if one was asked.
        duration_ms: From the delivery's start to the commit.
        boundary: Where the root frame stood before the step that follows, so that a fork can begin there; see
            `entracte.core.runs.boundary`.
        token: Random, made by the engine: tells the writer whose commit an ambiguous one was.
    """

    id: str
    run: str
    frame: str
    owner: str
    agent: str
    step: int
    phase: str
    at: AwareDatetime
    events: tuple[EventRecord, ...] = ()
    usage: Usage = Usage()
    served: str = ""
    duration_ms: int = 0
    boundary: Payload | None = None
    token: str = ""
    expires: AwareDatetime | None = None
