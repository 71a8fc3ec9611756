"""The action document: one call of a tool or sub-agent."""

from __future__ import annotations

from typing import ClassVar, Literal

from entracte.core.budget import Share
from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.evolving import Evolving
from entracte.core.modelling import Usage
from entracte.core.payload import Payload
from entracte.core.step_calls import Calls
from entracte.core.tool_spec import Effect

ActionStatus = Literal[
    "proposed", "gated", "approved", "denied", "expired", "started", "applied", "failed", "unknown", "blocked",
    "cancelled", "lapsed", "reverting", "reverted", "unrecoverable",
]  # fmt: skip

ENDED: frozenset[ActionStatus] = frozenset(
    {
        "denied",
        "expired",
        "applied",
        "failed",
        "blocked",
        "cancelled",
        "lapsed",
        "reverting",
        "reverted",
        "unrecoverable",
    }
)
"""Nothing more will come of it by itself."""

AWAITS_PERSON: frozenset[ActionStatus] = frozenset({"gated", "unknown"})
"""A person has to say how it goes on."""


class Lease(Evolving, frozen=True, kw_only=True):
    """Exclusive right to perform one attempt of one action.

    Attributes:
        holder: Delivery that took it.
        worker: Process that took it.
        expires: From when another delivery may take over. A lease does not stop a thread or a request in flight.
    """

    holder: str
    worker: str
    expires: AwareDatetime


PolicyClass = Literal["readonly", "reversible", "compensable", "irreversible"]
"""What the policy says of a tool: see `entracte.core.policy`."""


class Reading(Evolving, frozen=True, kw_only=True):
    """What a snapshot tool said of the record that a call changes.

    Attributes:
        present: The record was there.
        value: What it was; None when it was not there.
    """

    present: bool
    value: Payload | None = None


class Inverse(Evolving, frozen=True, kw_only=True):
    """The call that takes an action back.

    Attributes:
        arguments: Resolved; None when they could not be.
        absent_when: Error text by which the tool says that the target is gone already.
        unresolved: Why the arguments could not be resolved; empty when they were.
    """

    tool: str
    arguments: Payload | None = None
    absent_when: str = ""
    unresolved: str = ""


class Reversal(Evolving, frozen=True, kw_only=True):
    """One undo of an action.

    Attributes:
        key: Idempotency key of the inverse call; a new one after a definite failure.
        attempt: Calls made with this key.
        lease: Who is making it now.
        note: How it ended, or why it stopped.
        verified: The record was read back and is as it was.
    """

    key: str
    attempt: int = 0
    lease: Lease | None = None
    note: str = ""
    verified: bool = False


class Action(Document, frozen=True, kw_only=True):
    """One call.

    Attributes:
        id: ``{frame}.{step}.{index}``.
        kind: A tool, or an agent whose frame has this action's id.
        order: Place of its effect among those of the run: version of the commit that began the latest attempt. It is
            written down with the end of the call: a store that comes back from an export has other versions.
        index, calls: Its place in the step, from 0, and how many calls the step has.
        effect: Class of the tool when the call was planned.
        arguments: As the model wrote them.
        effective: As they were after the hooks and validation; None before.
        policy_class: What the policy said when the call was prepared; empty before.
        digest: Of the effective arguments; what a gate binds an approval to.
        gate, gates: The gate that decides it now, and how many it has had.
        approved_kinds: Kinds of gates that were approved: what the approvers knew.
        attempt: Calls made so far.
        result: JSON value, once applied.
        snapshot, after: What the record was before the call, and what it was after.
        inverse: The call that takes it back.
        reversal: Its undo, once there was one.
        given_up: A person gave up finding out whether it happened.
        error: Why it did not apply.
        directives: What tool and hooks asked for, until evaluate applies it.
        verdict, verdict_note: What evaluate made of the result.
        share: What a child frame may spend, taken from the parent's share.
        usage: What the child frame used, or the models that the tool asked.
        unspent: What the child frame gives back.
        due: When sweep looks at it: the end of its lease.
    """

    says_its_id: ClassVar[bool] = True
    inline_bytes: ClassVar[int] = 100 * 1024  # it has seven payloads, which together have to fit into a document

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
    calls: Calls
    effect: Effect = "changing"
    status: ActionStatus = "proposed"
    arguments: Payload
    effective: Payload | None = None
    policy_class: PolicyClass | Literal[""] = ""
    digest: str = ""
    gate: str = ""
    gates: int = 0
    approved_kinds: tuple[str, ...] = ()
    attempt: int = 0
    lease: Lease | None = None
    snapshot: Reading | None = None
    after: Reading | None = None
    inverse: Inverse | None = None
    reversal: Reversal | None = None
    given_up: bool = False
    result: Payload | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()
    directives: Payload | None = None
    verdict: Literal["", "ok", "retry", "give_up"] = ""
    verdict_note: str = ""
    share: Share | None = None
    usage: Usage = Usage()
    unspent: Share | None = None
    created: AwareDatetime
    started: AwareDatetime | None = None
    order: int = 0
    ended: AwareDatetime | None = None
    due: AwareDatetime | None = None
    expires: AwareDatetime | None = None

    @property
    def called_with(self) -> Payload:
        """Its arguments: effective once it was prepared, until then as the model wrote them."""
        return self.effective or self.arguments

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED or self.given_up

    @property
    def awaits_person(self) -> bool:
        return self.status in AWAITS_PERSON and not self.given_up
