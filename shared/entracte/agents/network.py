"""A network: agents, tools, models and state, checked when it is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from entracte.adapters.python.dispatched import DispatchedTool
from entracte.adapters.python.function import PythonFunction
from entracte.adapters.python.hooks import Hook
from entracte.agents import checking
from entracte.agents.agent import Agent
from entracte.agents.models import Model, Models
from entracte.agents.observer import Observer
from entracte.agents.policy import read_policy
from entracte.agents.state import State
from entracte.agents.tool import Tool
from entracte.core.blueprint import Blueprint
from entracte.core.budget import Limits
from entracte.core.memory.spec import MemorySpec
from entracte.core.policy.listing import served_tools
from entracte.core.policy.policy import Policy
from entracte.core.tool_spec import ToolSpec
from entracte.errors import ConfigurationError

if TYPE_CHECKING:
    from entracte.agents.pipeline import Pipeline
    from entracte.agents.router import Router
    from entracte.harness.mask import Mask
    from entracte.runtime.local.embedded import Embedded
    from entracte.runtime.services.run_result import RunResult

_DEFAULT_MODELS = Models()


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
        deps: Opens what tools share, once per process; `ToolContext.deps` gives it.
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
        budget: Limits | None = None,
        artifacts: bool | None = None,
        router: Router | None = None,
        memory: MemorySpec | None = None,
        on_tool_call: Callable[..., Any] | None = None,
        name: str = "network",
    ) -> None:
        self.name = name
        self.models = models
        self.policy = _listed(policy if isinstance(policy, Policy) else read_policy(policy))
        self.deps = deps
        self.harness = tuple(harness)
        self.mask = mask
        self.observers = tuple(observers)
        self.on_tool_call = on_tool_call
        self._entry = entry if isinstance(entry, str) else entry.name
        self._limits = budget or Limits()
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
            limits=self._limits,
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
            budget=self._limits,
            artifacts=self._artifacts,
            router=self._router,
            memory=self.memory,
            on_tool_call=self.on_tool_call,
            name=name or self.name,
        )

    def run(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Run until there is an answer, or a person is awaited.

        Args:
            message: Text, or a value for agents with an input schema of their own.
            route: Of the network's router, in place of having the message sorted.
            models: By role, among those that the network names or allows.
        """
        started = self.start(message, agent=agent, route=route, session=session, metadata=metadata, models=models)
        return self._embedded.wait(started.id)

    chat = run

    def stream(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> Iterator[Mapping[str, Any]]:
        """Run, and tell what happens until there is an answer, or a person is awaited; see `events`.

        The first event, `run.started`, names the run as `run_id`.
        """
        return self.events(
            self.start(message, agent=agent, route=route, session=session, metadata=metadata, models=models).id
        )

    def events(self, run: str, *, to_the_end: bool = False) -> Iterator[Mapping[str, Any]]:
        """What happened in a run, and what happens: as JSON, each event exactly once and in order.

        Pieces of text that is being written, `model.delta`, come in between.

        Args:
            to_the_end: Do not stop when the run waits for a person, however long that takes.
        """
        return self._embedded.events(run, to_the_end=to_the_end)

    def start(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Start a run in the background."""
        return self._embedded.start(
            message, agent=agent, route=route, session=session, metadata=metadata, models=models
        )

    def wait(self, run: str, *, timeout_s: float | None = None) -> RunResult:
        """Wait for a run to end, to need a person, or for the time to pass."""
        return self._embedded.wait(run, timeout_s=timeout_s)

    def decide(
        self, gate: str, decision: str, *, by: str = "", reason: str = "", arguments: Mapping[str, Any] | None = None
    ) -> None:
        """Answer a gate: ``approve``, ``deny``, …; see `RunResult.gates`. The run goes on in the background.

        Args:
            by: Who decides; the user of the settings by default.
            arguments: In place of the call's, where the policy lets approvers change them.
        """
        self._embedded.decide(gate, decision, by=by, reason=reason, arguments=arguments)

    def undo(self, run: str, *, to: str = "", replan: bool = False) -> RunResult:
        """Take a run's effects back, newest first, and wait for the end of it.

        Args:
            to: Action at which the undo ends, inclusive.
            replan: Resolve inverses again with the policy of today.
        """
        return self._embedded.undo(run, to=to, replan=replan)

    def resume(self, run: str) -> RunResult:
        """Let a stalled run go on in the background; `wait` waits for it.

        Raises:
            Conflict: It is not stalled.
        """
        return self._embedded.resume(run)

    def retry(self, run: str) -> RunResult:
        """Make the move again that a failed run ended at. What was done before stays done.

        Raises:
            Conflict: It has not failed, or its budget is used up.
        """
        return self._embedded.retry(run)

    def fork(self, run: str, *, at: int, state: Mapping[str, Any] | None = None) -> RunResult:
        """Begin a new run, in a copy of the session, with a step of another run's root agent.

        Calls made before that step are not made again, gates are not used again, and an undo of the fork takes back
        what the fork has done.

        Args:
            at: Step, from 1.
            state: Changes of state before it begins: key → text, item, or a list of them.

        Raises:
            NotFound: The run has no such step.
            InvalidInput: The changes do not fit.
        """
        return self._embedded.fork(run, at=at, state=state)

    def get_state(self, session: str) -> dict[str, Any]:
        """Global state of a session: key → list of ``{"id", "text"}``."""
        return self._embedded.get_state(session)

    def load_state(self, session: str, diff: Mapping[str, Any]) -> dict[str, Any]:
        """Change the global state of a session item by item; what was refused is raised as InvalidInput."""
        return self._embedded.load_state(session, diff)

    def reset_state(self, session: str) -> None:
        """Forget the global state of a session."""
        self._embedded.reset_state(session)

    def close(self) -> None:
        """Stop the background threads and close the store. The next run opens them again."""
        if "_embedded" in self.__dict__:
            self.__dict__.pop("_embedded").close()

    @cached_property
    def _embedded(self) -> Embedded:
        from entracte.runtime.local.embedded import open_embedded  # authors' modules import fast, and without a runtime

        return open_embedded(self)

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
