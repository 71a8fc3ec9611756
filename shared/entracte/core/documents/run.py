"""The run document: one request made to a network, from message to final answer."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from entracte.core.budget import Limits
from entracte.core.documents.base import Document
from entracte.core.modelling import Usage
from entracte.core.payload import Payload

Status = Literal[
    "queued", "running", "waiting", "stalled", "succeeded", "failed", "cancelled", "undoing", "undone", "partial"
]
StopReason = Literal["", "answered", "terminated", "budget", "loop", "error", "cancelled"]

CLOSED: frozenset[Status] = frozenset({"succeeded", "failed", "cancelled", "undoing", "undone", "partial"})
"""A run in one of these makes no further call of its own."""


class Run(Document):
    """One request made to a network.

    Attributes:
        id: Also the id of the root frame.
        owner: Whose run it is; others cannot see it.
        network, network_version: Declaration that it was started under.
        agent: Agent of the root frame.
        input: What the agent was asked with.
        output: Final value, once there is one.
        error: Why it failed, in words.
        models: Models that the caller chose, by role.
        limits: What it may use.
        usage: What it used; set when the root frame ends or the run is cancelled.
        metadata: The caller's own labels.
        request_digest: Hash of the request, to tell a retry from another request under the same key.
        parked: Since when it waits for people; None while it moves.
        parked_ms: Time spent waiting for people before that.
        due: When sweep looks at it; None when nothing of its own is moving.
        expires: When retention deletes it; set when it closes.
    """

    id: str
    owner: str
    session: str
    network: str
    network_version: str
    agent: str
    status: Status = "queued"
    stop_reason: StopReason = ""
    input: Payload
    output: Payload | None = None
    error: str = ""
    models: dict[str, str] = Field(default_factory=dict)
    limits: Limits = Field(default_factory=Limits)
    usage: Usage = Field(default_factory=Usage)
    metadata: dict[str, str] = Field(default_factory=dict)
    time_zone: str = "UTC"
    request_digest: str = ""
    parked: datetime | None = None
    parked_ms: int = 0
    created: datetime
    updated: datetime
    due: datetime | None = None
    expires: datetime | None = None

    @property
    def closed(self) -> bool:
        return self.status in CLOSED
