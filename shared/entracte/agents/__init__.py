"""What a network author imports."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.function import ToolResult
from entracte.adapters.python.hooks import Hook, ToolReturn
from entracte.agents.agent import Agent
from entracte.agents.budget import Budget
from entracte.agents.data_folder import data_folder
from entracte.agents.models import Model, Models, Secret
from entracte.agents.network import Network
from entracte.agents.observer import Observer
from entracte.agents.policy import UNGATED
from entracte.agents.state import State
from entracte.agents.tool import Tool, tool
from entracte.core.calls import Call, Prepared
from entracte.core.events import Event
from entracte.core.memory.spec import MemorySpec as Memory
from entracte.core.modelling import ModelReply, ModelRequest
from entracte.core.state import Key
from entracte.core.tool_spec import ToolSpec
from entracte.errors import Blocked, ToolError

if TYPE_CHECKING:
    from entracte.agents.pipeline import Pipeline, Stage
    from entracte.agents.router import Route, Router

__all__ = [
    "UNGATED",
    "Agent",
    "Blocked",
    "Budget",
    "Call",
    "Event",
    "Hook",
    "Key",
    "Memory",
    "Model",
    "ModelReply",
    "ModelRequest",
    "Models",
    "Network",
    "Observer",
    "Pipeline",
    "Prepared",
    "Route",
    "Router",
    "Secret",
    "Stage",
    "State",
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "ToolReturn",
    "ToolSpec",
    "data_folder",
    "tool",
]

_ON_DEMAND = {"Pipeline": "pipeline", "Stage": "pipeline", "Route": "router", "Router": "router"}
"""Names of this package's modules that only such networks load as ask for them."""


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ON_DEMAND[name]}"), name)
