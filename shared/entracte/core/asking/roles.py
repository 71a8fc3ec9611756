"""Which model is asked: by what it is asked for, by whom, and by what the caller of the run chose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.modelling import Purpose

Role = Literal["main", "planning", "light", "judge", "edit", "embed"]

ROLE_OF: Mapping[Purpose, Role] = {
    "interpret": "planning",
    "plan": "main",
    "evaluate": "main",
    "route": "light",
    "summarise": "light",
    "merge": "main",
    "judge": "judge",
    "refine": "light",
    "edit": "edit",
    "assist": "light",
}
"""Role of the model that answers requests of a purpose."""

FALLS_BACK_TO: Mapping[Role, Role] = {"planning": "main", "light": "main", "judge": "light", "edit": "main"}
"""Who answers where a role is not filled. Embedding models answer nothing else, so that nobody stands in for them."""


def model_for(role: Role, blueprint: Blueprint, agent: AgentSpec | None, chosen: Mapping[str, str]) -> str:
    """``provider/name`` of the model, or an empty string where there is none (``embed`` only).

    For each role, and then the one that it falls back to: what the caller of the run chose, the agent's own, the
    network's.

    Args:
        agent: Who asks; None for what is nobody's in particular, such as a session's summary.
        chosen: Models that the run names, by role.
    """
    for one in (role, *_fallbacks(role)):
        own = _own(agent, one) if agent is not None else ""
        if found := chosen.get(one) or own or getattr(blueprint.roles, one):
            return str(found)
    return ""


def allowed_models(blueprint: Blueprint) -> frozenset[str]:
    """What a run may name: every model that the network names anywhere, and those that it allows beside them."""
    roles = (getattr(blueprint.roles, role) for role in get_args(Role))
    own = (model for agent in blueprint.agents.values() for model in (agent.model, agent.planning_model))
    return frozenset(model for model in (*roles, *own, *blueprint.roles.allowed) if model)


def models_from(agent: str, blueprint: Blueprint, chosen: Mapping[str, str]) -> frozenset[str]:
    """Every model that a run which starts at an agent may ask in its loop."""
    reached, waiting = set[str](), [agent]
    while waiting:
        if (name := waiting.pop()) not in reached and name in blueprint.agents:
            reached.add(name)
            waiting += blueprint.agents[name].agents
    asked: tuple[Purpose, ...] = ("interpret", "plan", "evaluate")
    return frozenset(
        model_for(ROLE_OF[purpose], blueprint, blueprint.agents[name], chosen)
        for name in reached
        if not blueprint.agents[name].stages  # no model plans a pipeline
        for purpose in asked
    )


def _fallbacks(role: Role) -> Iterator[Role]:
    while (after := FALLS_BACK_TO.get(role)) is not None:
        yield after
        role = after


def _own(agent: AgentSpec, role: Role) -> str:
    match role:
        case "main":
            return agent.model
        case "planning":
            return agent.planning_model
        case _:
            return ""
