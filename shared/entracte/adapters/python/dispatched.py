"""Tools that are plain data, all run by one function ``on_tool_call(call, ctx)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.function import taken
from entracte.core.calls import Call
from entracte.core.validation import explain


class DispatchedTool(Struct, frozen=True):
    """One such tool."""

    name: str
    parameters: Mapping[str, Any]
    on_tool_call: Callable[[Call, ToolContext[Any]], Any]

    def check(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """The arguments, and what is wrong with them, or an empty string."""
        return dict(arguments), explain(dict(arguments), self.parameters)

    def run_call(self, call: Call, ctx: ToolContext[Any]) -> Any:
        return taken(self.on_tool_call(call, ctx), ctx)
