"""The run document: one request made to a network, from message to final answer."""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec import field

from entracte.core.budget import Limits
from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.evolving import Evolving
from entracte.core.modelling import Usage
from entracte.core.payload import Payload

Status = Literal[
    "queued", "running", "waiting", "stalled", "succeeded", "failed", "cancelled", "undoing", "undone", "partial"
]
StopReason = Literal["", "answered", "terminated", "budget", "loop", "error", "cancelled"]

CLOSED: frozenset[Status] = frozenset({"succeeded", "failed", "cancelled", "undoing", "undone", "partial"})
"""A run in one of these makes no further call of its own."""


class Undo(Evolving, frozen=True, kw_only=True):
    """How far the undo of a run has come.

    Attributes:
        to: Action at which it ends, inclusive; empty for all.
        replan: Inverses are resolved again, with the policy of today.
        surveyed: `order` has been made.
        order: Actions to take back, newest effect first.
        next: Index in `order` of the one that is looked at now.
        kept: Actions before `to`.
        permanent: Actions that cannot be taken back.
        unverified: Actions whose inverse was called, but nothing could be read to see that it worked.
        taken_back, left: The first calls that it has and has not taken back, in words: what the session is told.
        stopped: Action that it stopped at, and why.
        sweeps: How often sweep found it unmoved in a row.
    """

    id: str
    by: str
    to: str = ""
    replan: bool = False
    surveyed: bool = False
    order: tuple[str, ...] = ()
    next: int = 0
    kept: tuple[str, ...] = ()
    permanent: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    reverted: tuple[str, ...] = ()
    taken_back: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    stopped: str = ""
    reason: str = ""
    sweeps: int = 0

    @property
    def current(self) -> str:
        """Action that is looked at now; empty when there is none left."""
        return self.order[self.next] if self.next < len(self.order) else ""


class Run(Document, frozen=True, kw_only=True):
    """One request made to a network.

    Attributes:
        id: Also the id of the root frame.
        owner: Whose run it is; others cannot see it.
        network, network_version: Declaration that it was started under.
        agent: Agent of the root frame.
        route: Route that led there; empty where none did.
        input: What the agent was asked with.
        output: Final value, once there is one.
        error: Why it failed, in words.
        models: Models that the caller chose, by role.
        limits: What it may use.
        cost_bound: Somebody has set a limit of cost: a model whose price is not known is not asked.
        usage: What it used; set when the root frame ends or the run is cancelled.
        metadata: The caller's own labels.
        request_digest: Hash of the request, to tell a retry from another request under the same key.
        undo: The last undo of it.
        parked: Since when it waits, for people or for an overloaded model; None while it moves.
        parked_ms: Time spent waiting before that.
        due: When sweep looks at it; None when nothing of its own is moving. Of a run that has succeeded: until it is
            decided what to remember of it.
        sweeps: How often sweep found it in that state.
        watched_until: Until when somebody is known to watch it; while that is so, what models write is shown.
        expires: When retention deletes it; set when it closes.
        stalled: Frames that nobody brings forward any more; its status is `stalled` while there are any.
        forked_from, forked_at: Run and step that it was forked from; empty when it was started afresh.
    """

    says_its_id: ClassVar[bool] = True

    id: str
    owner: str
    session: str
    network: str
    network_version: str
    agent: str
    route: str = ""
    status: Status = "queued"
    stop_reason: StopReason = ""
    input: Payload
    output: Payload | None = None
    error: str = ""
    models: dict[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    cost_bound: bool = False
    usage: Usage = Usage()
    metadata: dict[str, str] = field(default_factory=dict)
    time_zone: str = "UTC"
    request_digest: str = ""
    undo: Undo | None = None
    parked: AwareDatetime | None = None
    parked_ms: int = 0
    created: AwareDatetime
    updated: AwareDatetime
    due: AwareDatetime | None = None
    sweeps: int = 0
    watched_until: AwareDatetime | None = None
    expires: AwareDatetime | None = None
    stalled: tuple[str, ...] = ()
    forked_from: str = ""
    forked_at: int = 0

    @property
    def closed(self) -> bool:
        return self.status in CLOSED
