"""Declaring an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from entracte.agents.models import Model, name_of
from entracte.agents.schema import json_schema
from entracte.agents.tool import Tool
from entracte.core.asking.prompts import DEFAULT_PROMPT
from entracte.core.blueprint import AgentSpec
from entracte.core.modelling import ToolChoice

DEFAULT_INPUT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"message": {"type": "string", "minLength": 1, "description": "What is asked."}},
    "required": ["message"],
    "additionalProperties": False,
}
"""An agent is asked with a message unless it says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent. Tools and agents are given as objects, or as names of what the network has.

    Attributes:
        prompt: Standing instructions; there is a sound default.
        summary: One line by which other agents choose it. By default the prompt's first line.
        instruction: How other agents should use it.
        model, planning_model: In place of the network's.
        max_steps: Steps a run of it may take.
        temperature: Sent only when it is set.
        knowledge: Text that is always in its context.
        input, output: pydantic model, JSON Schema, or an example. The answer is checked against `output`.
        tool_choice: ``"required"``: it has to call something before its first answer. Small models need that: they like
            to answer from memory.
        initial_tool: Called first, with the input's values; its result is in state before the first plan.
        light: No state and no evaluate phase: quick, for short work.
        fused: Whoever judges a step's results may name the next calls in the same reply, so that a step costs one model
            call. Cheaper, and a little rasher: nobody looks at the state anew in between.
    """

    name: str
    prompt: str = DEFAULT_PROMPT
    summary: str = ""
    instruction: str = ""
    model: str | Model = ""
    planning_model: str | Model = ""
    max_steps: int = 10
    temperature: float | None = None
    max_output_tokens: int = 8192
    tools: Sequence[Tool | str] = ()
    agents: Sequence[Agent | str] = ()
    knowledge: str = ""
    input: type[BaseModel] | Mapping[str, Any] | None = None
    output: type[BaseModel] | Mapping[str, Any] | None = None
    tool_choice: ToolChoice = "auto"
    initial_tool: Tool | str = ""
    light: bool = False
    fused: bool = False

    def spec(self) -> AgentSpec:
        """The agent as plain data.

        Raises:
            ConfigurationError: `input` or `output` is no schema.
        """
        return AgentSpec(
            name=self.name,
            prompt=self.prompt,
            summary=self.summary or self.prompt.strip().partition("\n")[0],
            instruction=self.instruction,
            model=name_of(self.model),
            planning_model=name_of(self.planning_model),
            max_steps=self.max_steps,
            temperature=self.temperature,
            max_output_tokens=self.max_output_tokens,
            tools=tuple(t if isinstance(t, str) else t.name for t in self.tools),
            agents=tuple(a if isinstance(a, str) else a.name for a in self.agents),
            knowledge=self.knowledge,
            input=DEFAULT_INPUT if self.input is None else json_schema(self.input, f"Agent {self.name!r}: input"),
            output=None if self.output is None else json_schema(self.output, f"Agent {self.name!r}: output"),
            tool_choice=self.tool_choice,
            initial_tool=self.initial_tool if isinstance(self.initial_tool, str) else self.initial_tool.name,
            light=self.light,
            fused=self.fused,
        )
