"""Bodies that callers send."""

from __future__ import annotations

from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, StringConstraints, model_validator

from entracte.core.documents.artifact import MAX_TAG_CHARS, MAX_TAGS, MAX_TITLE_CHARS, ArtifactType
from entracte.core.payload import canonical
from entracte.core.runs.starting import RunRequest


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (LookupError, OSError, ValueError):  # a folder of zones, such as America, is an OSError
        raise ValueError(f"There is no time zone {name!r}; names are like Asia/Tokyo.") from None
    return name


TimeZone = Annotated[str, StringConstraints(max_length=64), AfterValidator(_known_zone)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Word = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Reason = Annotated[str, StringConstraints(max_length=2000)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TITLE_CHARS)]
Tags = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=MAX_TAG_CHARS)]], Field(max_length=MAX_TAGS)
]
Amount = Annotated[int, Field(ge=0)]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BudgetBody(_Body):
    """Lowers what the network allows a run; what is left out stays."""

    actions: Amount | None = Field(default=None, description="Calls of tools and agents.")
    writes: Amount | None = Field(default=None, description="Calls that may change something.")
    tokens: Amount | None = Field(default=None, description="Prompt, thinking and output tokens.")
    cost_micro_usd: Amount | None = Field(default=None, description="Price of the model calls.")
    wall_s: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Seconds from creation to end, without the time spent waiting for people."
    )
    depth: Annotated[int, Field(ge=1, le=20)] | None = Field(default=None, description="Agents inside each other.")
    parallel_calls: Annotated[int, Field(ge=1, le=8)] | None = Field(default=None, description="Calls in one step.")


class RunBody(_Body):
    """What is asked. `{"message": "…"}` is short for `{"input": {"message": "…"}}`."""

    message: str | None = Field(default=None, description="Short form of `input`.")
    input: Any = Field(default=None, description="Value for the agent; its schema is shown by `GET /v1/network`.")
    agent: str | None = Field(default=None, description="Agent to start at; the network's entry by default.")
    route: str | None = Field(default=None, description="Route of the network's router; none has the message sorted.")
    session: Name | None = Field(default=None, description="Conversation to go on with; a new one by default.")
    models: dict[str, str] = Field(
        default_factory=dict, max_length=10, description="Models by role, among those that the network allows."
    )
    budget: BudgetBody | None = None
    time_zone: TimeZone = Field(default="UTC", description="Where the caller is: agents are told the local time.")
    metadata: dict[Name, Annotated[str, StringConstraints(max_length=500)]] = Field(
        default_factory=dict, max_length=20, description="Labels of the caller's own; runs can be listed by them."
    )

    @model_validator(mode="after")
    def _asks_once(self) -> RunBody:
        if (self.message is not None) == ("input" in self.model_fields_set):
            raise ValueError('The body has either "message" or "input".')
        return self

    def request(self) -> RunRequest:
        """The request as the runtime takes it."""
        return RunRequest(
            input=self.input if self.message is None else {"message": self.message},
            agent=self.agent or "",
            route=self.route or "",
            session=self.session or "",
            models=self.models,
            limits=self.budget.model_dump(exclude_none=True) if self.budget is not None else {},
            metadata=self.metadata,
            time_zone=self.time_zone,
        )

    def pointer(self, pointer: str) -> str:
        """Where the caller wrote what the runtime calls ``/input/…``."""
        short = self.message is not None and pointer.startswith("/input")
        return "/message" if short else pointer


class DecisionBody(_Body):
    """What somebody says to a gate."""

    decision: Word = Field(description="One of the gate's `decisions`; the answer to a question.")
    digest: Digest = Field(description="The gate's `digest`: of what was seen when this was decided.")
    reason: Reason = ""
    edited_arguments: dict[str, Any] | None = Field(
        default=None, description="In place of the call's, where the gate is `editable`."
    )

    def edited(self) -> str:
        """The arguments as the runtime takes them; empty for none."""
        return canonical(self.edited_arguments) if self.edited_arguments is not None else ""


class NamedDecisionBody(DecisionBody):
    """What somebody says to one of several gates."""

    gate: Annotated[str, StringConstraints(max_length=500)] = Field(description="Id of the gate.")


class DecisionsBody(RootModel[Annotated[list[NamedDecisionBody], Field(min_length=1, max_length=100)]]):
    """What somebody says to several gates, each for itself."""

    model_config = ConfigDict(frozen=True)


class LinkBody(_Body):
    """A signed link, as its page sends it."""

    token: Annotated[str, StringConstraints(max_length=4000)] = Field(description="What follows `#t=` in the link.")
    gate: Annotated[str, StringConstraints(max_length=500)] = Field(
        default="", description="Gate that the page was opened for; a link for another is refused."
    )


class LinkDecisionBody(LinkBody):
    """What the holder of a link says."""

    decision: Word = Field(description="One of the gate's `decisions`; the answer to a question.")
    reason: Reason = ""


class UndoBody(_Body):
    """How far to take a run back."""

    to: Annotated[str, StringConstraints(max_length=500)] | None = Field(
        default=None, description="Id of the action at which the undo ends, inclusive; null for the whole run."
    )
    replan: bool = Field(default=False, description="Work the inverse calls out anew, by the policy of today.")


class ErasureBody(_Body):
    """Whose data is to be deleted."""

    owner: Annotated[str, StringConstraints(min_length=1, max_length=400)] = Field(description="E-mail or user id.")
    dry_run: bool = Field(default=True, description="Delete nothing: say what would be.")


class ForkBody(_Body):
    """Where a fork begins, and what is different in it."""

    at: Annotated[int, Field(ge=1, le=10_000)] = Field(description="Step of the root agent that the fork begins with.")
    state: dict[str, Any] = Field(
        default_factory=dict, description="Changes of state before it begins, as for `PATCH /v1/sessions/{id}/state`."
    )


class StateDiff(RootModel[dict[str, Any]]):
    """Changes by key of state.

    A text adds an item; an object with `id` and `text` changes the item of that id, with an empty text removes it; a
    list does several of these.
    """

    model_config = ConfigDict(frozen=True)


class ArtifactBody(_Body):
    """A paper for the desk."""

    title: Title
    content: str
    type: ArtifactType = "text"
    tags: Tags = Field(default_factory=list)
    active: bool = Field(default=True, description="Agents are shown it.")
    shared: bool = Field(default=False, description="All sessions of the owner see it.")


class ArtifactChange(_Body):
    """What is to be changed of an artifact; what is left out stays."""

    title: Title | None = None
    content: str | None = None
    type: ArtifactType | None = None
    tags: Tags | None = None
    active: bool | None = None
    version: Annotated[str, StringConstraints(max_length=40)] = Field(
        default="", description="Version that it must still have; any by default."
    )

    def changes(self) -> dict[str, Any]:
        """The changes as the runtime takes them."""
        given = self.model_dump(exclude_none=True, exclude={"version"})
        return {("text" if name == "content" else name): value for name, value in given.items()}


BODIES: tuple[type[BaseModel], ...] = (
    ArtifactBody,
    ArtifactChange,
    DecisionBody,
    DecisionsBody,
    ErasureBody,
    ForkBody,
    LinkBody,
    LinkDecisionBody,
    RunBody,
    StateDiff,
    UndoBody,
)
"""What routes refer to by name."""
