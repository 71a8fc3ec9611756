"""What a model is asked, and what it answers: one shape for every provider."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct, field

from entracte.core.evolving import Evolving

Purpose = Literal["interpret", "plan", "evaluate", "route", "summarise", "merge", "judge", "refine", "edit", "assist"]
"""What a request is for. `interpret` and `plan` are asked in the plan phase, `evaluate` in the evaluate phase; `assist`
and `edit` by tools while they run."""


ToolChoice = Literal["auto", "required"]
"""Whether a model that has tools may answer at once, or has to call one."""


class Usage(Evolving, frozen=True, kw_only=True):
    """What model calls used.

    Attributes:
        cached_tokens: Part of the prompt's.
        thinking_tokens: Beside those of the output.
        cost_micro_usd: Of the calls whose price is known (`entracte.core.pricing`).
        unpriced_calls: Calls whose price is not known: with any of these, the cost is more than what stands here.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    thinking_tokens: int = 0
    output_tokens: int = 0
    cost_micro_usd: int = 0
    model_calls: int = 0
    unpriced_calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})

    @property
    def tokens(self) -> int:
        """All tokens that count against a budget."""
        return self.prompt_tokens + self.thinking_tokens + self.output_tokens


class Part(Evolving, frozen=True):
    """A titled section of the request, such as ``state`` or ``results``. Titles are unique within a request."""

    title: str
    text: str


class ToolSchema(Struct, frozen=True, kw_only=True):
    """A tool or agent that the model may call.

    Attributes:
        parameters: JSON Schema of an object.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


class ModelRequest(Evolving, frozen=True, kw_only=True):
    """One question to a model, complete in itself: no provider keeps a conversation for us.

    Attributes:
        purpose, run, frame, agent, step: What it is asked for; adapters that replay or log go by these.
        model: ``provider/name``.
        system: Standing instructions.
        parts: What the model looks at, in order.
        tools: What it may call. With tools, a reply either calls some or gives the final value; without, it gives
            the value.
        tool_choice: Whether the reply may give the value while there are tools.
        max_calls: Most calls in one reply.
        schema: JSON Schema of the value; None asks for plain text.
        max_output_tokens: Limit of the reply.
        temperature: Sent only when it is set.
    """

    purpose: Purpose
    run: str
    frame: str
    agent: str
    step: int
    model: str
    system: str
    parts: tuple[Part, ...]
    tools: tuple[ToolSchema, ...] = ()
    tool_choice: ToolChoice = "auto"
    max_calls: int = 8
    schema: Mapping[str, Any] | None = None
    max_output_tokens: int = 8192
    temperature: float | None = None

    @property
    def must_call(self) -> bool:
        """Whether only a call will do."""
        return self.tool_choice == "required" and bool(self.tools)

    def part(self, title: str) -> str:
        """Text of the part of that title, or an empty string."""
        return next((part.text for part in self.parts if part.title == title), "")


class Question(Struct, frozen=True, kw_only=True):
    """What a tool asks a model while it runs.

    Attributes:
        schema: JSON Schema of the answer; None asks for text.
    """

    purpose: Literal["assist", "edit"]
    prompt: str
    schema: Mapping[str, Any] | None = None
    max_output_tokens: int = 1024


class WantedCall(Struct, frozen=True):
    """A call that the model asks for. Nothing has been checked yet."""

    tool: str
    arguments: Any


class Delta(Struct, frozen=True):
    """A piece of a reply that is still being written: of its text, or of what the model says about its reasons."""

    kind: Literal["text", "thought"]
    text: str


OnDelta = Callable[[Delta], None]
"""Is told each piece; what it raises ends the stream."""


FaultKind = Literal["empty", "malformed", "blocked", "cut_off", "stopped", "invalid_json"]
"""Nothing in it; not the shape asked for; withheld by the service, which may withhold the request as well; over the
limit; ended for a reason that nobody here knows; no JSON where some was asked for."""


class Fault(Struct, frozen=True):
    """Why a reply cannot be used, and what the model is told about it in the next try."""

    kind: FaultKind
    message: str


class ModelReply(Evolving, frozen=True, kw_only=True):
    """What came back.

    Attributes:
        calls: Calls that the model asks for.
        value: The final value, when it asks for none: text, or JSON when a schema was given. None with calls or fault.
        thought: What the model said about its reasons.
        usage: What this reply cost, also when it has a fault.
        served: Model version that answered, as the service names it.
        fault: Set when the reply cannot be used.
    """

    calls: tuple[WantedCall, ...] = ()
    value: Any = None
    thought: str = ""
    usage: Usage = field(default_factory=Usage)
    served: str = ""
    fault: Fault | None = None
