"""Declaring a pipeline: agents in sequence, each asked with what the one before it said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel

from entracte.agents.agent import Agent
from entracte.core.blueprint import AgentSpec, StageSpec
from entracte.core.pipelines.task import faults_in
from entracte.errors import ConfigurationError

Task = str | Mapping[str, Any] | Callable[[Any], Any]


class Stage(Struct, frozen=True, kw_only=True):
    """One agent of a pipeline.

    Functions run where the pipeline runs, and again when a message is delivered again: they change nothing, and what
    they give depends on their argument only.

    Attributes:
        agent: The agent, another pipeline, or a name.
        task: What it is asked with. A text is its message, a mapping its input; ``{result}`` in them is what the stage
            before it gave (the pipeline's own input, for the first), ``{input}`` what the pipeline was asked with, and
            ``{result.name}`` a part of it. Or a function of the last result that gives a text or a mapping.
        transform: Makes of the agent's answer what the next stage, or the caller of the pipeline, gets.
    """

    agent: Agent | str
    task: Task = "{result}"
    transform: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Pipeline(Agent):
    """Agents in sequence. It is an agent to others: a network's entry, a route's target, a sub-agent, a stage.

    No model plans it. Each stage has a frame of its own, which waits for people, goes on, and is undone like any other.
    """

    stages: Sequence[Stage] = ()

    def __init__(
        self,
        name: str,
        stages: Sequence[Stage],
        *,
        summary: str = "",
        instruction: str = "",
        input: type[BaseModel] | Mapping[str, Any] | None = None,
        output: type[BaseModel] | Mapping[str, Any] | None = None,
    ) -> None:
        Agent.__init__(
            self,
            name=name,
            prompt="",
            summary=summary,
            instruction=instruction,
            agents=tuple(stage.agent for stage in stages),
            input=input,
            output=output,
            light=True,
        )
        object.__setattr__(self, "stages", tuple(stages))

    def spec(self) -> AgentSpec:
        """The pipeline as plain data.

        Raises:
            ConfigurationError: No stages, or a task that cannot be filled in.
        """
        if not self.stages:
            raise ConfigurationError(f"Pipeline {self.name!r} has no stages.")
        for number, stage in enumerate(self.stages, 1):
            fault = next(faults_in(stage.task), "") if not callable(stage.task) else ""
            if fault:
                raise ConfigurationError(f"Pipeline {self.name!r}, stage {number}: {fault}.")
        names = [stage.agent if isinstance(stage.agent, str) else stage.agent.name for stage in self.stages]
        return replace(
            Agent.spec(self),
            summary=self.summary or f"{', then '.join(names)}.",
            agents=tuple(dict.fromkeys(names)),
            max_steps=len(self.stages),
            stages=tuple(
                StageSpec(
                    agent=name,
                    task=None if callable(stage.task) else stage.task,
                    computed=callable(stage.task),
                    transformed=stage.transform is not None,
                )
                for name, stage in zip(names, self.stages, strict=True)
            ),
        )
