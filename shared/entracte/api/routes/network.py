"""The route that shows the network."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from msgspec import to_builtins
from msgspec.structs import asdict
from starlette.responses import JSONResponse

from entracte.api.requests.access import Caller, TheBlueprint
from entracte.api.routes.described import answer_of, problems
from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.tool_spec import ToolSpec

router = APIRouter(prefix="/v1/network", tags=["network"], responses=problems(403, 422, 500))


@router.get("", summary="Show the network", responses={200: answer_of("NetworkAnswer", "The network.")})
def show_network(blueprint: TheBlueprint, owner: Caller) -> JSONResponse:
    """What can be asked of which agent, and within which limits. Prompts and knowledge are the author's own."""
    return JSONResponse(_network_json(blueprint))


def _network_json(blueprint: Blueprint) -> dict[str, Any]:
    return {
        "name": blueprint.name,
        "version": blueprint.version,
        "entry": blueprint.entry,
        "routes": [{"name": name, **to_builtins(route)} for name, route in blueprint.router.routes.items()]
        if blueprint.router is not None
        else [],
        "agents": [_agent_json(agent) for agent in blueprint.agents.values()],
        "tools": [_tool_json(tool) for tool in blueprint.tools.values()],
        "models": {role: model for role, model in to_builtins(blueprint.roles).items() if model},
        "limits": asdict(blueprint.limits),
        "state": [{"name": name, **to_builtins(key)} for name, key in blueprint.state.items()],
    }


def _agent_json(agent: AgentSpec) -> dict[str, Any]:
    return {
        "name": agent.name,
        "summary": agent.summary,
        "instruction": agent.instruction,
        "input": dict(agent.input),
        "output": dict(agent.output) if agent.output is not None else None,
        "tools": list(agent.tools),
        "agents": list(agent.agents),
        "max_steps": agent.max_steps,
        "light": agent.light,
        "stages": [stage.agent for stage in agent.stages],
    }


def _tool_json(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "summary": tool.summary,
        "instruction": tool.instruction,
        "parameters": dict(tool.parameters),
        "effect": tool.effect,
        "timeout_s": tool.timeout_s,
        "idempotent": tool.idempotent,
    }
