"""The action document: one call of a tool or sub-agent."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from entracte.core.blueprint import Effect
from entracte.core.budget import Share
from entracte.core.documents.base import Document
from entracte.core.modelling import Usage
from entracte.core.payload import Payload

ActionStatus = Literal["proposed", "started", "applied", "failed", "blocked", "cancelled", "unknown"]

ENDED: frozenset[ActionStatus] = frozenset({"applied", "failed", "blocked", "cancelled"})
"""Nothing more will come of it by itself."""

AWAITS_PERSON: frozenset[ActionStatus] = frozenset({"unknown"})
"""A person has to say how it goes on."""


class Lease(BaseModel):
    """Exclusive right to perform one attempt of one action.

    Attributes:
        holder: Delivery that took it.
        worker: Process that took it.
        expires: From when another delivery may take over. A lease does not stop a thread or a request in flight.
    """

    model_config = ConfigDict(frozen=True)

    holder: str
    worker: str
    expires: datetime


class Action(Document):
    """One call.

    Attributes:
        id: ``{frame}.{step}.{index}``.
        kind: A tool, or an agent whose frame has this action's id.
        index, calls: Its place in the step, from 0, and how many calls the step has.
        effect: Class of the tool when the call was planned.
        arguments: As the model wrote them.
        effective: As they were after the hooks and validation; None before.
        attempt: Calls made so far.
        result: JSON value, once applied.
        error: Why it did not apply.
        directives: What tool and hooks asked for, until evaluate applies it.
        verdict, verdict_note: What evaluate made of the result.
        share: What a child frame may spend, taken from the parent's share.
        usage, unspent: What the child frame used and gives back.
        due: When sweep looks at it: the end of its lease.
    """

    id: str
    run: str
    session: str
    frame: str
    owner: str
    agent: str
    kind: Literal["tool", "agent"]
    tool: str
    step: int
    index: int
    calls: int
    effect: Effect = "changing"
    status: ActionStatus = "proposed"
    arguments: Payload
    effective: Payload | None = None
    attempt: int = 0
    lease: Lease | None = None
    result: Payload | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()
    directives: Payload | None = None
    verdict: Literal["", "ok", "retry", "give_up"] = ""
    verdict_note: str = ""
    share: Share | None = None
    usage: Usage = Field(default_factory=Usage)
    unspent: Share | None = None
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    due: datetime | None = None
    expires: datetime | None = None

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED

    @property
    def awaits_person(self) -> bool:
        return self.status in AWAITS_PERSON
