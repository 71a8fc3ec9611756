"""Shapes of gates in answers, for the API's description. `entracte.runtime.services.rendering` makes the values."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from entracte.api.answers.shape import Answer, CountedPage
from entracte.api.problems import Problem
from entracte.core.answer import Via
from entracte.core.documents.gate import GateKind, GateStatus


class VoteAnswer(Answer):
    """An answer that somebody gave to a gate."""

    by: str
    via: Via
    decision: str
    reason: str
    edited: bool = Field(description="It approved other arguments than were asked for.")
    refused: str = Field(description="Code of why it changed nothing; empty when it counted.")
    note: str = Field(description="The same in words.")
    at: datetime


class GateAnswer(Answer):
    """A call that a person has to decide about, or a question to a person."""

    id: str
    run: str
    session: str
    action: str
    agent: str
    tool: str
    kind: GateKind
    status: GateStatus
    question: str
    why: str
    owner: str = Field(description="Whose run it is.")
    asked_by: str
    preview: list[str] = Field(description="What would be done, one line each, masked where a masker applies.")
    arguments: Any = Field(description="Of the call, masked where a masker applies.")
    digest: str = Field(description="Of the true arguments. A decision names it, to be about exactly these.")
    decisions: list[str] = Field(description="What can be decided; empty for a question, which takes any text.")
    approvers: list[str] = Field(description="Who may decide; empty for the run's owner.")
    quorum: int = Field(description="So many different people have to approve.")
    four_eyes: bool = Field(description="Whoever asked for the run may not approve.")
    editable: bool = Field(description="An approval may change the arguments.")
    votes: list[VoteAnswer] = Field(description="Every recorded answer, also those that were refused.")
    created: datetime
    expires: datetime | None = Field(description="When silence becomes a denial; null for never.")


class GatePage(CountedPage):
    """Part of a list of gates."""

    items: list[GateAnswer]


class OutcomeAnswer(Answer):
    """What came of one decision of a batch."""

    gate: str = Field(description="Id, as it was sent.")
    status: int = Field(description="Status that the decision would have had by itself.")
    result: GateAnswer | None = Field(description="The gate as it is now; null when the decision was refused.")
    problem: Problem | None = Field(description="Why it was refused; null when it was not.")


class OutcomesAnswer(Answer):
    """What came of each decision, in the order in which they were sent."""

    items: list[OutcomeAnswer]


class LinkAnswer(Answer):
    """A gate, as the holder of a link to it sees it."""

    gate: str
    kind: GateKind
    status: GateStatus
    question: str
    why: str
    asked_by: str
    agent: str
    tool: str
    preview: list[str] = Field(description="What would be done, one line each, masked where a masker applies.")
    decisions: list[str] = Field(description="What can be decided; empty for a question, which takes any text.")
    decided: str = Field(description="How it ended, and by whom, as a sentence; empty while it waits.")
    approver: str = Field(description="Who decides with this link.")
    until: datetime = Field(description="How long the link can be used.")
    sign_in: bool = Field(description="The gate has to know for sure who decides: the link alone does not decide it.")
    command: str = Field(description="Decides the gate at a command line.")


class RenewalAnswer(Answer):
    """A new link was asked for. Whether one was sent is not told."""

    status: Literal["accepted"]
