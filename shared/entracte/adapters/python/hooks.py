"""Hooks around tools and models. They may run again when a message is delivered again: no effects in them."""

from __future__ import annotations

from typing import Any

from entracte.adapters.python.context import ToolContext
from entracte.core.calls import Call
from entracte.core.evolving import Evolving
from entracte.core.modelling import ModelReply, ModelRequest


class ToolReturn(Evolving, frozen=True, kw_only=True):
    """What a tool gave, as `after_tool` hooks see it."""

    value: Any
    warnings: tuple[str, ...] = ()

    def with_value(self, value: Any) -> ToolReturn:
        return self.evolve(value=value)


class Hook:
    """Override what you need. Raise `Blocked(reason)` to refuse; the agent is told why and plans around it."""

    def before_tool(self, call: Call, ctx: ToolContext[Any]) -> Call:
        """Before the arguments are checked. Give the call back, changed or not."""
        return call

    def after_tool(self, call: Call, result: ToolReturn, ctx: ToolContext[Any]) -> ToolReturn:
        """After the tool has ended well. Blocking here hides the result; what the tool did is done."""
        return result

    def before_model(self, request: ModelRequest) -> ModelRequest:
        """Before a model is asked."""
        return request

    def after_model(self, request: ModelRequest, reply: ModelReply) -> ModelReply:
        """After it has answered."""
        return reply
