"""Shapes of what the API answers, for its description. `entracte.runtime.services.rendering` makes the values.

Imported when the description is asked for: a function that starts to answer something else need not build models.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from entracte.api.answer_shape import Answer, Page
from entracte.api.gate_answers import GateAnswer, GatePage, LinkAnswer, OutcomesAnswer, RenewalAnswer
from entracte.api.undo_answers import UndoAnswer, UndoPlanAnswer
from entracte.api.upkeep_answers import LetterAnswer, LetterPage
from entracte.core.budget import Limits
from entracte.core.documents.artifact import ArtifactType
from entracte.core.documents.journal import EventType
from entracte.core.documents.memory_item import Category
from entracte.core.documents.run import Status, StopReason
from entracte.core.modelling import Usage
from entracte.core.state import Scope
from entracte.core.tool_spec import Effect


class RunUsage(Answer):
    """What a run used. Complete once the run has closed."""

    prompt_tokens: int
    cached_tokens: int = Field(description="Part of the prompt's.")
    thinking_tokens: int
    output_tokens: int
    cost_micro_usd: int = Field(description="Of the calls whose price is known.")
    model_calls: int
    unpriced_calls: int = Field(description="Calls whose price is not known; above 0, the cost is not known either.")
    tokens: int = Field(description="All that count against the budget.")


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


class RunPage(Page):
    """Part of the list of runs."""

    items: list[RunAnswer]


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


class ItemAnswer(Answer):
    """One statement of state."""

    id: str
    text: str


class StateAnswer(RootModel[dict[str, list[ItemAnswer]]]):
    """Global state by key."""


class SessionAnswer(Answer):
    """A session without its turns."""

    id: str
    turns: int
    state: StateAnswer
    created: datetime
    updated: datetime


class TurnAnswer(Answer):
    """One message of a session."""

    number: int
    run: str
    role: Literal["user", "assistant"]
    text: str
    at: datetime


class TurnPage(Page):
    """Part of a session's turns."""

    items: list[TurnAnswer]


class SessionExport(Answer):
    """Everything that a session holds."""

    format: str
    session: dict[str, Any] = Field(description="State, summary and latest messages, as they are kept.")
    turns: list[dict[str, Any]]
    artifacts: list[dict[str, Any]]


class ArtifactSummary(Answer):
    """An artifact without its content."""

    id: str
    type: ArtifactType
    title: str
    tags: list[str]
    active: bool = Field(description="Agents are shown it.")
    shared: bool = Field(description="All sessions of its owner see it.")
    chars: int = Field(description="Length of the content.")
    version: str = Field(description="Equal for equal artifacts: another one means that it has changed.")
    created: datetime
    updated: datetime


class ArtifactAnswer(ArtifactSummary):
    """An artifact."""

    content: str


class ArtifactList(Answer):
    """Artifacts that a session sees."""

    items: list[ArtifactSummary]


class MemoryAnswer(Answer):
    """One thing that is remembered."""

    id: str
    text: str
    category: Category
    tags: list[str]
    date: str = Field(description="Day on which it was said, such as 2026-11-30.")
    persona: str = Field(description="Character whose memory it is; empty for everybody's.")
    run: str = Field(description="Run that it comes from; empty for none.")
    created: datetime


class MemoryPage(Page):
    """Part of what is remembered."""

    items: list[MemoryAnswer]


class MemoryExport(Answer):
    """All that is remembered of somebody."""

    owner: str
    memories: list[MemoryAnswer]


class Forgotten(Answer):
    """What was deleted."""

    forgotten: int = Field(description="How many memories there were.")


class AgentAnswer(Answer):
    """An agent, as those see it who ask it."""

    name: str
    summary: str
    instruction: str
    input: dict[str, Any] = Field(description="JSON Schema of what it is asked with.")
    output: dict[str, Any] | None = Field(description="JSON Schema of its answer; null for plain text.")
    tools: list[str]
    agents: list[str]
    max_steps: int
    light: bool
    stages: list[str] = Field(description="Of a pipeline: the agents in their order; empty for others.")


class ToolAnswer(Answer):
    """A tool, as the agents see it."""

    name: str
    summary: str
    instruction: str
    parameters: dict[str, Any] = Field(description="JSON Schema of its arguments.")
    effect: Effect
    timeout_s: float
    idempotent: bool


class KeyAnswer(Answer):
    """A key of state."""

    name: str
    scope: Scope
    prefix: str
    description: str
    how_to: str


class RouteAnswer(Answer):
    """A kind of message, and who answers such."""

    name: str
    description: str
    agent: str


class NetworkAnswer(Answer):
    """What the network declares, without prompts and knowledge."""

    name: str
    version: str
    entry: str
    routes: list[RouteAnswer] = Field(description="What messages are sorted to; empty without a router.")
    agents: list[AgentAnswer]
    tools: list[ToolAnswer]
    models: dict[str, str] = Field(description="Models by role. A run may choose among these.")
    limits: Limits
    state: list[KeyAnswer]


class HealthAnswer(Answer):
    """The API is up."""

    status: Literal["ok"]


COMPONENTS: tuple[type[BaseModel], ...] = (
    ArtifactAnswer,
    ArtifactList,
    MemoryAnswer,
    MemoryPage,
    MemoryExport,
    Forgotten,
    SessionExport,
    EntryPage,
    EventAnswer,
    GateAnswer,
    GatePage,
    HealthAnswer,
    LetterAnswer,
    LetterPage,
    LinkAnswer,
    NetworkAnswer,
    OutcomesAnswer,
    RenewalAnswer,
    RunAnswer,
    RunPage,
    SessionAnswer,
    StateAnswer,
    TurnPage,
    UndoPlanAnswer,
)
"""What routes refer to by name."""
