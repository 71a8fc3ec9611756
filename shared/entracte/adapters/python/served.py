"""Tools of MCP servers, run as the tools of this process are: the same hooks, checks, deadline and late ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from entracte.adapters.python.context import ToolContext
from entracte.core.calls import Call
from entracte.core.validation import explain
from entracte.errors import ToolError
from entracte.ports.servers import Servers


class ServedTool(Struct, frozen=True):
    """One such tool.

    Attributes:
        readonly: By the policy: a call that came to nothing may be made once more.
    """

    name: str
    parameters: Mapping[str, Any]
    readonly: bool
    servers: Servers

    def check(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """The arguments, and what is wrong with them, or an empty string."""
        try:
            return dict(arguments), explain(dict(arguments), self.parameters)
        except Exception:  # noqa: BLE001  # the schema of a foreign server may be broken in any way; the server will tell
            return dict(arguments), ""

    def run_call(self, call: Call, ctx: ToolContext[Any]) -> Any:
        """The value that agents see.

        Raises:
            ToolError: The tool says that it did nothing.
            RuntimeError: The server says that something went wrong, and not what became of the call.
        """
        answer = self.servers.call(call, readonly=self.readonly, report=ctx.progress)
        ctx.native = answer.native
        if answer.error:
            raise ToolError(answer.error) if answer.certain else RuntimeError(answer.error)
        return answer.value
