"""An allow-list of tools, whatever agents were given."""

from __future__ import annotations

from typing import Any

from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.hooks import Hook
from entracte.core.calls import Call
from entracte.errors import Blocked
from entracte.harness.tool_patterns import checked, matches


class OnlyTools(Hook):
    """Blocks every tool but those named.

    Args:
        allowed: Patterns, such as ``crm.get_*``.
        agent: The agent that this is about; all of them by default.
    """

    def __init__(self, *allowed: str, agent: str = "") -> None:
        self._allowed = checked(allowed, "OnlyTools")
        self._agent = agent

    def before_tool(self, call: Call, ctx: ToolContext[Any]) -> Call:
        if self._agent in ("", call.agent) and not matches(call.tool, self._allowed):
            raise Blocked(f"{call.tool} is not among the tools allowed here: {', '.join(self._allowed)}.")
        return call
