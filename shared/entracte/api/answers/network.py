"""Shapes of the network in answers, for the API's description."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from entracte.api.answers.shape import Answer
from entracte.api.answers.usage import Limits
from entracte.core.state import Scope
from entracte.core.tool_spec import Effect


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
