"""A network: agents, tools, models and state, checked when it is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from msgspec.structs import replace

from entracte.adapters.python.dispatched import DispatchedTool
from entracte.adapters.python.function import PythonFunction
from entracte.adapters.python.hooks import Hook
from entracte.agents import checking, parts
from entracte.agents.agent import Agent
from entracte.agents.budget import Budget
from entracte.agents.models import Model, Models
from entracte.agents.observer import Observer
from entracte.agents.policy import read_policy
from entracte.agents.state import State
from entracte.agents.tool import Tool
from entracte.core.blueprint import Blueprint
from entracte.core.memory.spec import MemorySpec
from entracte.core.policy.listing import served_tools
from entracte.core.policy.policy import Policy
from entracte.core.tool_spec import ToolSpec
from entracte.errors import ConfigurationError
from entracte.running import Running

if TYPE_CHECKING:
    from entracte.agents.pipeline import Pipeline
    from entracte.agents.router import Router
    from entracte.harness.mask import Mask
    from entracte.runtime.local.embedded import Embedded

_DEFAULT_MODELS = Models()

P = ParamSpec("P")
R = TypeVar("R")


def _handed_on(method: Callable[Concatenate[Running, P], R]) -> Callable[Concatenate[Network, P], R]:
    """What a network does by the runtime in this process, which is opened when it is first needed."""

    @wraps(method, updated=())
    def handed_on(network: Network, /, *args: P.args, **kwargs: P.kwargs) -> R:
        given: R = getattr(network._embedded, method.__name__)(*args, **kwargs)
        return given

    return handed_on


class Network:
    """What an application author declares. Building it checks it; running it needs nothing else.

    Args:
        entry: Agent that runs start at, or its name.
        models: Models by role; `DEFAULT_MODEL` for all of them by default.
        agents, tools: More of them, for those that are named by strings.
        policy: What the tools may do to the world, how it is undone and who has to agree: a manifest's path, from the
            current folder or ``package:resource``; or a `Policy`. The tools of its MCP servers are named
            ``server.tool``; agents are given them by name, or by a pattern such as ``server.*``.
        state: Keys of state; subclass `State`.
        deps: Opens what tools share, once per process; `ToolContext.deps` gives it. Files of theirs belong into
            `data_folder()`.
        harness: Hooks, in order; `entracte.harness` has ready ones.
        mask: What documents, models and people do not get to see; nothing is masked by default.
        observers: Are told of every event.
        budget: What a run may use.
        memory: Long-term memory: what is worth it is kept after answers, and shown to later runs. Off by default.
        artifacts: Agents are shown the active artifacts. By default, if any tool keeps its results as such or works
            with them.
        router: Sorts messages before anything is planned; without one, all go to the entry.
        on_tool_call: Runs the tools that are given as plain `ToolSpec` data.
        name: How runs name it; ``package.module:name`` when it is loaded from there.

    Raises:
        ConfigurationError: Names what is missing, twice there, or does not fit.
    """

    def __init__(
        self,
        *,
        entry: Agent | str,
        models: Models = _DEFAULT_MODELS,
        agents: Sequence[Agent] = (),
        tools: Sequence[Tool | ToolSpec] = (),
        policy: str | Policy = "",
        state: type[State] = State,
        deps: Callable[[], Any] | None = None,
        harness: Sequence[Hook] = (),
        mask: Mask | None = None,
        observers: Sequence[Observer] = (),
        budget: Budget | None = None,
        artifacts: bool | None = None,
        router: Router | None = None,
        memory: MemorySpec | None = None,
        on_tool_call: Callable[..., Any] | None = None,
        name: str = "network",
    ) -> None:
        parts.check_hooks(harness)
        parts.check_observers(observers)
        parts.check_kind(entry, "entry is", "an Agent or a name", Agent, str)
        parts.check_list(agents, "agents", "an Agent", Agent)
        parts.check_list(tools, "tools", "what is made by @tool, or a ToolSpec", Tool, ToolSpec)
        self._opening = Lock()
        self._opened: Embedded | None = None
        self.name = name
        self.models = models
        self.policy = _listed(policy if isinstance(policy, Policy) else read_policy(policy))
        self.deps = deps
        self.harness = tuple(harness)
        self.mask = mask
        self.observers = tuple(observers)
        self.on_tool_call = on_tool_call
        self._entry = entry if isinstance(entry, str) else entry.name
        self._budget = budget or Budget()
        self._artifacts = artifacts
        self._router = router
        self.memory = memory
        self._state = state
        routed = [] if router is None else [route.agent for route in router.routes]
        self._agents = checking.unique_agents([*(one for one in (entry, *routed) if not isinstance(one, str)), *agents])
        self._tools = checking.unique_tools(_with_needed([*tools, *_tools_of(self._agents.values())]))
        self.model_options: dict[str, Model] = dict(models.options())
        for agent in self._agents.values():
            for model in (agent.model, agent.planning_model):
                if isinstance(model, Model):
                    self.model_options[model.name] = model
        checking.check_network(
            self.blueprint,
            bounded_depth=budget is not None,
            dispatched=on_tool_call is not None,
            plain=[n for n, t in self._tools.items() if isinstance(t, ToolSpec)],
            results=self._result_schema,
        )

    @cached_property
    def blueprint(self) -> Blueprint:
        """The network as plain data."""
        own = [t.spec if isinstance(t, Tool) else t for t in self._tools.values()]
        tools = checking.unique_tools([*own, *served_tools(self.policy.listing)])
        bare = Blueprint(
            name=self.name,
            version="",
            entry=self._entry,
            agents={name: checking.with_named_tools(agent.spec(), tools) for name, agent in self._agents.items()},
            tools={name: self.policy.governed(tool) for name, tool in tools.items()},
            roles=self.models.roles(),
            state=self._state.keys(),
            state_tokens=self._state.max_tokens,
            limits=self._budget.limits(),
            cost_bound=self._budget.cost_micro_usd is not None,
            policy=self.policy,
            artifacts=self._keeps_artifacts(),
            router=self._router.spec() if self._router is not None else None,
            memory=self.memory,
        )
        return replace(bare, version=checking.version_of(bare))

    @cached_property
    def functions(self) -> Mapping[str, PythonFunction | DispatchedTool]:
        """What runs each tool of this process."""
        return {name: t.function if isinstance(t, Tool) else self._dispatched(t) for name, t in self._tools.items()}

    @cached_property
    def pipelines(self) -> Mapping[str, Pipeline]:
        """Those of its agents that have stages."""
        if not any(agent.stages for agent in self.blueprint.agents.values()):
            return {}
        from entracte.agents.pipeline import Pipeline  # loaded already, by whoever made one

        return {name: agent for name, agent in self._agents.items() if isinstance(agent, Pipeline)}

    def using(
        self, *, name: str | None = None, models: Models | None = None, observers: Sequence[Observer] = ()
    ) -> Network:
        """The same network under another name, with other models, or with more observers."""
        return Network(
            entry=self._entry,
            models=models or self.models,
            agents=list(self._agents.values()),
            tools=list(self._tools.values()),
            policy=self.policy,
            state=self._state,
            deps=self.deps,
            harness=self.harness,
            mask=self.mask,
            observers=(*self.observers, *observers),
            budget=self._budget,
            artifacts=self._artifacts,
            router=self._router,
            memory=self.memory,
            on_tool_call=self.on_tool_call,
            name=name or self.name,
        )

    run = _handed_on(Running.run)
    chat = run
    stream = _handed_on(Running.stream)
    start = _handed_on(Running.start)
    events = _handed_on(Running.events)
    wait = _handed_on(Running.wait)
    undo = _handed_on(Running.undo)
    resume = _handed_on(Running.resume)
    retry = _handed_on(Running.retry)
    fork = _handed_on(Running.fork)
    get_state = _handed_on(Running.get_state)
    load_state = _handed_on(Running.load_state)
    reset_state = _handed_on(Running.reset_state)
    artifacts = _handed_on(Running.artifacts)

    def decide(
        self, gate: str, decision: str, *, by: str = "", reason: str = "", arguments: Mapping[str, Any] | None = None
    ) -> None:
        """Answer a gate: ``approve``, ``deny``, …; see `RunResult.gates`. The run goes on in the background.

        Args:
            by: Who decides; the user of the settings by default.
            arguments: In place of the call's, where the policy lets approvers change them.
        """
        self._embedded.decide(gate, decision, by=by, reason=reason, arguments=arguments)

    def close(self) -> None:
        """Stop the background threads and close the store. The next run opens them again."""
        with self._opening:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    @property
    def _embedded(self) -> Embedded:
        from entracte.runtime.local.embedded import open_embedded  # authors' modules import fast, and without a runtime

        with self._opening:  # threads that ask at once share one
            if self._opened is None:
                self._opened = open_embedded(self)
            return self._opened

    def _result_schema(self, tool: str) -> Mapping[str, Any]:
        found = self._tools.get(tool)
        return found.function.result_schema if isinstance(found, Tool) else {}

    def _keeps_artifacts(self) -> bool:
        if self._artifacts is not None:
            return self._artifacts
        specs = (t.spec if isinstance(t, Tool) else t for t in self._tools.values())
        return any(spec.persist or spec.artifacts for spec in specs)

    def _dispatched(self, spec: ToolSpec) -> DispatchedTool:
        if self.on_tool_call is None:
            raise ConfigurationError(f"Tool {spec.name!r} is plain data, and there is no on_tool_call to run it.")
        return DispatchedTool(spec.name, spec.parameters, self.on_tool_call)


def _with_needed(tools: Iterable[Tool | ToolSpec]) -> list[Tool | ToolSpec]:
    """The tools, and those that their own rules call. The latter are shown to no agent that was not given them."""
    return [t for tool in tools for t in (tool, *(_with_needed(tool.needs) if isinstance(tool, Tool) else ()))]


def _listed(policy: Policy) -> Policy:
    """The policy with what its servers offer. They are asked only where that was not written down."""
    if policy.manifest is None or policy.manifest.servers.keys() == policy.listing.keys():
        return policy
    from entracte.runtime.asking_servers import listing_of  # as for running, and it may start them

    return replace(policy, listing=listing_of(policy.manifest.servers, policy.listing))


def _tools_of(agents: Iterable[Agent]) -> list[Tool | ToolSpec]:
    return [t for agent in agents for t in (*agent.tools, agent.initial_tool) if isinstance(t, Tool)]
