"""The gate document, written for the person who reads it in the Firestore console, which sorts fields by name."""

from __future__ import annotations

import json
from typing import Any, Literal, Self

from entracte.core.answer import Author, Via
from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.evolving import Evolving
from entracte.core.payload import Payload

GateKind = Literal["approval", "in_doubt", "question", "absence", "unresolvable"]
"""Why a person is asked: the policy says so; nobody knows whether a call happened; the agent asks; the record that a
reversible change replaces is not there; its inverse could not be resolved."""

GateStatus = Literal["waiting", "approved", "denied", "expired", "cancelled", "lapsed", "decided"]
"""`decided` closes an in-doubt gate or a question; `votes` say how. `lapsed`: approved, and no client asked again."""

WORDS: dict[GateKind, tuple[str, ...]] = {
    "approval": ("approve", "deny"),
    "absence": ("approve", "deny"),
    "unresolvable": ("approve", "deny"),
    "in_doubt": ("happened", "retry", "give_up"),
    "question": (),
}
"""What a person may decide. A question takes any text."""

MAX_VOTES = 50
"""Recorded answers of one gate; later ones that change nothing are not kept."""


def as_text(value: Any) -> str:
    """What a person wrote into a field, as text. The console lets them choose other types: a map becomes JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


WRITTEN = ("decision", "decision_error", "decision_reason", "edited_arguments")
"""Fields that people write. Whatever they make of them, the gate can still be read."""


class Vote(Evolving, frozen=True, kw_only=True):
    """One recorded answer.

    Attributes:
        id: Equal for every delivery of the same answer.
        by: E-mail or user id, from whoever proved it; never a name typed into the document.
        author: How far `by` can be relied on.
        digest: Of the arguments that it approves, where it changed them.
        refused: Why it changed nothing, as an error code; empty when it counted.
        note: The same in words.
    """

    id: str
    by: str
    author: Author = "proved"
    via: Via
    decision: str
    reason: str = ""
    at: AwareDatetime
    edited: bool = False
    digest: str = ""
    refused: str = ""
    note: str = ""


class GateFacts(Evolving, frozen=True, kw_only=True):
    """What the machine goes by. Whatever people change here is checked against the action.

    Attributes:
        digest: Of exactly the arguments that the preview shows.
        arguments: These arguments, masked where a masker applies.
        approvers: Who may decide; empty for the run's owner.
        expires: When silence becomes `on_expiry`; None never.
        remind: When a reminder goes out; None when none is due.
        announced, reminded: Notifications have been sent, and the reminder.
        sweeps: How often sweep found it due and unmoved in a row.
    """

    kind: GateKind
    action: str
    frame: str
    session: str
    owner: str
    agent: str
    tool: str
    number: int
    digest: str
    arguments: Payload
    approvers: tuple[str, ...] = ()
    quorum: int = 1
    four_eyes: bool = False
    editable: bool = False
    expires: AwareDatetime | None = None
    on_expiry: Literal["deny"] = "deny"
    remind: AwareDatetime | None = None
    announced: bool = False
    reminded: bool = False
    sweeps: int = 0

    @property
    def wants_known_people(self) -> bool:
        """It matters who answers, not only that somebody does."""
        return bool(self.approvers) or self.quorum > 1 or self.four_eyes


class Gate(Document, frozen=True, kw_only=True):
    """A pending human decision about one action.

    Attributes:
        decision: A person writes here, in the console; the approve phase moves it to `votes` and clears it.
        decision_error: What was wrong with the last try. Nothing was decided.
        edited_arguments: JSON, if the rule is editable.
        preview: One line each, at most 60.
        due: When sweep looks at it: until it is announced; for its reminder; for its expiry.
        z: The machine's part.
    """

    decision: str = ""
    decision_error: str = ""
    decision_reason: str = ""
    edited_arguments: str = ""
    how_to: str = ""
    preview: tuple[str, ...] = ()
    question: str = ""
    why: str = ""
    asked_by: str = ""
    status: GateStatus = "waiting"
    run: str
    votes: tuple[Vote, ...] = ()
    z: GateFacts
    created: AwareDatetime
    due: AwareDatetime | None = None
    expires: AwareDatetime | None = None

    @classmethod
    def read(cls, path: str, fields: Any) -> Self:
        written = {name: as_text(fields[name]) for name in WRITTEN if name in fields}
        return super().read(path, {**fields, **written})

    @property
    def id(self) -> str:
        return f"{self.z.action}.{self.z.number}"

    @property
    def waiting(self) -> bool:
        return self.status == "waiting"

    def counted(self, decision: str) -> tuple[str, ...]:
        """Who has given that decision so that it counts."""
        return tuple(dict.fromkeys(vote.by for vote in self.votes if vote.decision == decision and not vote.refused))

    def ending(self) -> str:
        """Who ended it, how and when, in words that follow its name."""
        last = next((vote for vote in reversed(self.votes) if not vote.refused and vote.decision != "expired"), None)
        if last is None or self.status not in ("approved", "lapsed", "denied", "decided"):
            return f"is {self.status}: nobody decided it"
        match self.status:
            case "denied":
                how = "denied"
            case "decided":
                how = "answered" if self.z.kind == "question" else f"answered with {last.decision}"
            case _:
                how = "approved"
        since = ", and has lapsed since" if self.status == "lapsed" else ""
        return f"was {how} by {last.by} at {last.at:%Y-%m-%d %H:%M} UTC{since}"
