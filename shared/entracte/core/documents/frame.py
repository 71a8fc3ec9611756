"""The frame document: one agent's loop inside a run, like a call frame."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from entracte.core.budget import Share
from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.documents.run import StopReason
from entracte.core.evolving import Evolving
from entracte.core.modelling import Usage
from entracte.core.payload import Payload
from entracte.core.state import Drawer
from entracte.core.step_calls import Calls

MAX_CUT_OFFS = 10
"""Doublings of what a reply may have; more would not make it end."""

FramePhase = Literal["route", "interpret", "plan", "execute", "ended"]


class Cursor(Evolving, frozen=True, kw_only=True):
    """Where a frame stands: unsorted, at the start, about to plan, waiting for the calls of the step, or ended."""

    step: int
    phase: FramePhase


class Exchange(Evolving, frozen=True, kw_only=True):
    """One step of a light agent, kept instead of state."""

    calls: str
    results: str


class Frame(Document, frozen=True, kw_only=True):
    """One agent's loop.

    Attributes:
        id: The run's id for the root frame, else the id of the action that opened it.
        parent: Action that opened it; empty for the root frame.
        depth: 1 for the root frame.
        cursor: Where it stands. Only plan and evaluate move it.
        calls: Number of calls of the current step.
        input: What the agent was asked with.
        local: The agent's own state.
        disabled_tools, disabled_agents: What left the context of this frame.
        feedback: What the agent is told with the next plan: verdicts, errors, refused diffs.
        exchanges: Last steps of a light agent.
        trail: Of the root frame: what its agent thought and called, one line each.
        recalled: Of the root frame: what is remembered and may matter, a line each; None until it was looked up.
        stage, carried: Of a pipeline: stages that have ended well, and what the last of them gave.
        untransformed: What it gave has still to be transformed: the function failed, or gave what cannot be kept.
        repeats: How often each call ended with the same result, by digest.
        planned: Of a fused agent: the calls of the next step, which its judging has named.
        idle: Steps in a row that changed no state and brought nothing new.
        tidied: Tokens of state when it was last tidied; 0 if it never was.
        repairs: Unusable replies in a row.
        cut_offs: Those of them that the limit cut off; each doubles the next one's.
        share: What it may still spend.
        usage: What it and its ended children used.
        output: Final value, once there is one.
        stop_reason, error: How and why it ended.
        again: Where a retry of it goes on; set when it ends without an answer.
        retries: How often it was retried; tells the journal's moves of one try from those of the next.
        moved: When the cursor last moved.
        due: When sweep looks at it; None when it waits for people only, or has ended and its parent knows.
        sweeps: How often sweep found it unmoved in a row.
        pending: Of an MCP client's frame: its calls that may not have ended.
        worker: Who wrote it last; tells an embedded start which frames a dead process has left.
    """

    says_its_id: ClassVar[bool] = True
    inline_bytes: ClassVar[int] = 50 * 1024  # it has four payloads, beside state and what a light agent remembers

    id: str
    run: str
    session: str
    owner: str
    agent: str
    parent: str = ""
    depth: int = 1
    cursor: Cursor
    calls: Calls = 0
    input: Payload
    local: dict[str, Drawer] = field(default_factory=dict)
    disabled_tools: tuple[str, ...] = ()
    disabled_agents: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    trail: tuple[str, ...] = ()
    recalled: tuple[str, ...] | None = None
    stage: int = 0
    carried: Payload | None = None
    untransformed: bool = False
    repeats: dict[str, int] = field(default_factory=dict)
    planned: Payload | None = None
    idle: int = 0
    tidied: int = 0
    repairs: int = 0
    cut_offs: Annotated[int, Meta(ge=0, le=MAX_CUT_OFFS)] = 0
    share: Share
    usage: Usage = Usage()
    output: Payload | None = None
    stop_reason: StopReason = ""
    error: str = ""
    moved: AwareDatetime
    due: AwareDatetime | None = None
    sweeps: int = 0
    pending: tuple[str, ...] = ()
    worker: str = ""
    again: Cursor | None = None
    retries: Annotated[int, Meta(ge=0, le=10_000)] = 0
    expires: AwareDatetime | None = None

    @property
    def ended(self) -> bool:
        return self.cursor.phase == "ended"

    @property
    def parked(self) -> bool:
        """Nothing in it moves until a person does something."""
        return not self.ended and self.due is None
