"""Faults of a network, found when it is built and named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, get_args

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict, fields, replace

from entracte.agents.agent import Agent
from entracte.agents.parts import check_kind, check_list
from entracte.agents.schema import json_schema
from entracte.agents.tool import Tool
from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.modelling import ToolChoice
from entracte.core.payload import digest
from entracte.core.policy.checking import Results, check_against, check_own_rules
from entracte.core.policy.matching import matches
from entracte.core.tool_spec import ToolSpec
from entracte.errors import ConfigurationError

MAX_TOOL_TIMEOUT_S = 450.0
"""A call must fit into one delivery of a function that may run 540 s, with a margin for recording its end."""


def unique_agents(given: Iterable[Agent]) -> dict[str, Agent]:
    """All agents by name, those that agents hold included."""
    found: dict[str, Agent] = {}
    waiting = list(given)
    while waiting:
        agent = waiting.pop(0)
        check_kind(agent, "agents has", "an Agent", Agent)
        check_kind(agent.name, "An agent's name is", "a text", str)
        if agent.name in found:
            if found[agent.name] is not agent:
                raise ConfigurationError(
                    f"Two agents are called {agent.name!r}.", remedy="Names are unique: rename one."
                )
            continue
        where = f"Agent {agent.name!r}"
        check_list(agent.tools, f"{where}: tools", "what is made by @tool, or a name", Tool, str)
        check_list(agent.agents, f"{where}: agents", "an Agent or a name", Agent, str)
        check_kind(agent.prompt, f"{where}: prompt is", "a text", str)
        check_kind(agent.initial_tool, f"{where}: initial_tool is", "what is made by @tool, or a name", Tool, str)
        found[agent.name] = agent
        waiting += [sub for sub in agent.agents if isinstance(sub, Agent)]
    return found


T = TypeVar("T", Tool | ToolSpec, ToolSpec)


def unique_tools(given: Iterable[T]) -> dict[str, T]:
    """All tools by name."""
    found: dict[str, T] = {}
    for tool in given:
        if tool.name in found and found[tool.name] is not tool:
            raise ConfigurationError(f"Two tools are called {tool.name!r}.", remedy="Names are unique: rename one.")
        found[tool.name] = tool
    return found


def with_named_tools(agent: AgentSpec, tools: Iterable[str]) -> AgentSpec:
    """The agent with the names of its tools in place of patterns such as ``crm.*``.

    Raises:
        ConfigurationError: No tool has a name like that.
    """
    named: dict[str, None] = {}
    for given in agent.tools:
        found = [name for name in tools if matches(given, name)] if "*" in given else [given]
        if not found:
            raise ConfigurationError(
                f"Agent {agent.name!r} names the tools {given!r}, and the network has none such.",
                remedy=_known("Tools", tools),
            )
        named |= dict.fromkeys(found)
    return replace(agent, tools=tuple(named))


def check_network(
    b: Blueprint, *, bounded_depth: bool, dispatched: bool, plain: Sequence[str], results: Results
) -> None:
    """Raise ConfigurationError for the first fault."""
    if b.entry not in b.agents:
        raise ConfigurationError(
            f"The entry {b.entry!r} is no agent of the network.", remedy=_known("Agents", b.agents)
        )
    if b.router is not None:
        for name, route in b.router.routes.items():
            if route.agent not in b.agents:
                raise ConfigurationError(
                    f"Route {name!r} leads to the agent {route.agent!r}, which the network does not have.",
                    remedy=_known("Agents", b.agents),
                )
    if not b.roles.main:
        raise ConfigurationError("The network has no main model.", remedy='Give Models(main="provider/name").')
    if plain and not dispatched:
        raise ConfigurationError(f"Tool {plain[0]!r} is plain data, and there is no on_tool_call to run it.")
    _check_names(b)
    for agent in b.agents.values():
        _check_agent(b, agent)
    for tool in b.tools.values():
        if tool.timeout_s > MAX_TOOL_TIMEOUT_S:
            raise ConfigurationError(
                f"Tool {tool.name!r}: timeout_s is {tool.timeout_s}; at most {MAX_TOOL_TIMEOUT_S} fit into a function."
            )
    for name in plain:
        json_schema(b.tools[name].parameters, f"Tool {name!r}: parameters")
    if b.policy.manifest is not None and (faults := check_against(b.policy.manifest, b.tools, results=results).faults):
        raise ConfigurationError("\n".join(str(fault) for fault in faults))
    if unfit := check_own_rules(b.policy, b.tools, results):
        raise ConfigurationError("\n".join(unfit))
    if not bounded_depth and (cycle := _cycle(b.agents)):
        raise ConfigurationError(
            f"Agents call each other in a circle: {' → '.join(cycle)}.", remedy="Give the network a Budget(depth=…)."
        )


def _check_names(b: Blueprint) -> None:
    on_the_wire: dict[str, str] = {}
    for name in b.tools:
        if name in b.agents:
            raise ConfigurationError(f"{name!r} is both a tool and an agent.", remedy="Names are unique: rename one.")
        if not name or not all(c.isalnum() or c in "_-." for c in name):
            raise ConfigurationError(f"Tool {name!r}: a name has letters, digits, _, - and . only.")
    for name in (*b.tools, *b.agents):
        if other := on_the_wire.get(name.replace(".", "__")):
            raise ConfigurationError(
                f"{other!r} and {name!r} are one name to models, since a dot travels as '__'.", remedy="Rename one."
            )
        on_the_wire[name.replace(".", "__")] = name


def _check_agent(b: Blueprint, agent: AgentSpec) -> None:
    where = f"Agent {agent.name!r}"
    if agent.tool_choice not in get_args(ToolChoice):
        raise ConfigurationError(
            f"{where}: tool_choice is {agent.tool_choice!r}; it must be one of {', '.join(get_args(ToolChoice))}."
        )
    try:
        convert(asdict(agent), AgentSpec)
    except ValidationError as error:  # of msgspec: Expected `int`, got `str` - at `$.max_steps`
        what, _, at = str(error).partition(" - at `$.")
        raise ConfigurationError(f"{where}: {at.rstrip('`')}: {what.lower()}.") from None
    if not agent.name or not all(c.isalnum() or c in "_-" for c in agent.name):
        raise ConfigurationError(f"{where}: a name has letters, digits, _ and - only.")
    if agent.max_steps < 1:
        raise ConfigurationError(f"{where}: max_steps is {agent.max_steps}; it must be 1 or more.")
    if agent.fused and agent.light:
        raise ConfigurationError(f"{where} is light and fused: a light agent has no judging to fuse.")
    for tool in (*agent.tools, *([agent.initial_tool] if agent.initial_tool else [])):
        if tool not in b.tools:
            raise ConfigurationError(
                f"{where} names the tool {tool!r}, which the network does not have.", remedy=_known("Tools", b.tools)
            )
    for sub in agent.agents:
        if sub not in b.agents:
            raise ConfigurationError(
                f"{where} names the agent {sub!r}, which the network does not have.", remedy=_known("Agents", b.agents)
            )
    if agent.tool_choice == "required" and not (agent.tools or agent.agents):
        raise ConfigurationError(
            f"{where} is required to call something and has neither tools nor agents.",
            remedy='Give it some, or leave tool_choice at "auto".',
        )
    if agent.initial_tool:
        required = set(b.tools[agent.initial_tool].parameters.get("required", ()))
        lacking = sorted(required - set(agent.input.get("properties", {})))
        if lacking:
            raise ConfigurationError(
                f"{where}: the initial tool {agent.initial_tool!r} needs {', '.join(lacking)}, "
                "which the agent's input does not have."
            )


def _cycle(agents: Mapping[str, AgentSpec]) -> list[str]:
    """A circle of agents, first and last the same, or nothing."""
    done: set[str] = set()  # from these none begins; or agents that share many others would be walked for ever

    def walk(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return []
        found = next((found for sub in agents[name].agents if (found := walk(sub, [*trail, name]))), [])
        done.add(name)
        return found

    return next((found for name in agents if (found := walk(name, []))), [])


def version_of(b: Blueprint) -> str:
    """Hash of everything declared."""
    declared = {
        field.name: getattr(b, field.name)
        for field in fields(b)
        if field.name not in ("policy", "limits", "cost_bound")
    }
    manifest = b.policy.manifest.source.value if b.policy.manifest is not None else None
    return digest(_plain(declared | {"limits": asdict(b.limits), "policy": manifest}))[7:19]


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return {str(name): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case Struct():
            return _plain(asdict(value))
        case _:
            return value


def _known(what: str, names: Iterable[str]) -> str:
    return f"{what}: {', '.join(sorted(names)) or 'none'}."
