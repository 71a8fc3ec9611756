"""What an application author declared, as plain data that the phases read. `entracte.agents` makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from entracte.core.budget import Limits
from entracte.core.memory.spec import MemorySpec
from entracte.core.modelling import ToolChoice
from entracte.core.policy.policy import Policy
from entracte.core.state import Key
from entracte.core.tool_spec import ToolSpec


class StageSpec(Struct, frozen=True, kw_only=True):
    """One stage of a pipeline.

    Attributes:
        task: What the agent is asked with; see `entracte.core.pipelines.task`. None where a function says it.
        computed, transformed: The author gave a function for the task, or one that is applied to the result.
    """

    agent: str
    task: Any = None
    computed: bool = False
    transformed: bool = False


class AgentSpec(Struct, frozen=True, kw_only=True):
    """One agent.

    Attributes:
        prompt: Standing instructions.
        summary: One line by which other agents choose it.
        instruction: How other agents should use it.
        model, planning_model: ``provider/name``, or empty for the network's roles.
        max_steps: Steps a frame may take, from 1.
        tools, agents: Names of what it may call.
        knowledge: Text that is always in its context.
        input: JSON Schema of what it is asked with.
        output: JSON Schema of its final answer; None for plain text.
        tool_choice: Whether it may answer before it has called anything.
        initial_tool: Tool that runs before the first plan with the input's values, or empty.
        light: No state and no evaluate phase: a short message list instead.
        fused: The judging of a step may name the next calls as well, so that a step costs one model call.
        stages: Of a pipeline, which is light as well: no model plans it.
    """

    name: str
    prompt: str
    summary: str = ""
    instruction: str = ""
    model: str = ""
    planning_model: str = ""
    max_steps: int = 10
    temperature: float | None = None
    max_output_tokens: int = 8192
    tools: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    knowledge: str = ""
    input: Mapping[str, Any] = {}
    output: Mapping[str, Any] | None = None
    tool_choice: ToolChoice = "auto"
    initial_tool: str = ""
    light: bool = False
    fused: bool = False
    stages: tuple[StageSpec, ...] = ()


class Roles(Struct, frozen=True, kw_only=True):
    """Models by what they are used for. `entracte.core.asking.roles` says who stands in for an empty one.

    Attributes:
        main: Plans each step, answers, and judges the step's results.
        planning: Understands a request before anything is done.
        light: Routes, and sums conversations up.
        judge: Decides what is worth remembering.
        edit: Edits artifacts.
        embed: Turns texts into vectors.
        allowed: More models, which a run may choose for any of these roles.
    """

    main: str
    planning: str = ""
    light: str = ""
    judge: str = ""
    edit: str = ""
    embed: str = ""
    allowed: tuple[str, ...] = ()


class RouteSpec(Struct, frozen=True, kw_only=True):
    """A kind of message, in words for whoever sorts, and the agent that answers such."""

    description: str
    agent: str


class RouterSpec(Struct, frozen=True, kw_only=True):
    """How messages are sorted before anything is planned.

    Attributes:
        routes: By name.
        default: Route on doubt; empty for the network's entry.
    """

    routes: Mapping[str, RouteSpec]
    default: str = ""

    def default_agent(self, entry: str) -> str:
        """Who answers on doubt."""
        return self.routes[self.default].agent if self.default else entry


class Blueprint(Struct, frozen=True, kw_only=True):
    """A whole network.

    Attributes:
        name: Where it was loaded from, ``package.module:name``, or a name given.
        version: Hash of everything declared, so that a run tells which declaration it ran under.
        entry: Agent that a run starts at.
        state: Keys of state by name.
        policy: What its tools may do, how that is undone, and who has to agree.
        state_tokens: Room of state in a request; what outgrows it is tidied. 0 for no bound.
        limits: What a run may use unless it asks for less.
        cost_bound: Somebody has set the limit of cost: a model whose price is not known is not asked.
        memory: Long-term memory; None for none.
        artifacts: Results are kept as artifacts where tools ask for it, and agents are shown which there are.
        router: Sorts the messages of callers who name no agent; None where all go to the entry.
    """

    name: str
    version: str
    entry: str
    agents: Mapping[str, AgentSpec]
    tools: Mapping[str, ToolSpec]
    roles: Roles
    state: Mapping[str, Key]
    limits: Limits
    cost_bound: bool = False
    policy: Policy = field(default_factory=Policy)
    artifacts: bool = False
    state_tokens: int = 0
    router: RouterSpec | None = None
    memory: MemorySpec | None = None

    def is_light(self, agent: str) -> bool:
        """Whether that agent works without state and evaluate; an agent that has gone does not."""
        return agent in self.agents and self.agents[agent].light
