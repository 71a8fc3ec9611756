"""``python -m crm.server``: the sample's tools as an MCP server on standard streams, for any client of the protocol.

It works on the same database and outbox as the sample network (`crm.deps`), and honours the idempotency key that
Entracte sends in ``_meta``: a call that is repeated with its key changes nothing more.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from crm.deps import open_crm
from crm.tools import correspondence, records
from entracte.agents import Call, Tool, ToolContext, ToolError

IDEMPOTENCY_KEY = "entracte/idempotency-key"

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        records.search_customers,
        records.get_customer,
        records.list_invoices,
        records.update_customer,
        records.create_customer,
        records.delete_customer,
        correspondence.send_email,
    )
}


def described(tool: Tool) -> types.Tool:
    """A tool as its clients are told of it."""
    spec = tool.spec
    return types.Tool(
        name=spec.name,
        description=f"{spec.summary}\n\n{spec.instruction}".strip(),
        input_schema=dict(spec.parameters),
        annotations=types.ToolAnnotations(read_only_hint=spec.readonly, idempotent_hint=spec.idempotent),
    )


def call(name: str, arguments: Mapping[str, Any], key: str) -> types.CallToolResult:
    """Call a tool. What it refuses is an error that says why, and that nothing was done."""
    tool = TOOLS.get(name)
    if tool is None:
        return _refused(f"There is no tool {name!r}. Tools: {', '.join(TOOLS)}.")
    checked, fault = tool.function.check(arguments)
    if fault:
        return _refused(f"The arguments do not fit: {fault}.")
    try:
        value = tool.function.run(checked, _context(name, checked, key))
    except (ToolError, ValidationError) as error:
        return _refused(str(error))
    value = to_jsonable_python(value)
    text = types.TextContent(text=json.dumps(value, ensure_ascii=False))
    # Structured content is an object in all versions of the protocol that clients speak; a list is told as text.
    return types.CallToolResult(content=[text], structured_content=value if isinstance(value, dict) else None)


async def serve() -> None:
    """Answer on standard streams until the client has gone."""

    async def on_list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[described(tool) for tool in TOOLS.values()])

    async def on_call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        key = str(dict(params.meta or {}).get(IDEMPOTENCY_KEY) or uuid.uuid4())
        return await anyio.to_thread.run_sync(call, params.name, params.arguments or {}, key)

    server = Server("crm", on_list_tools=on_list_tools, on_call_tool=on_call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _context(name: str, arguments: Mapping[str, Any], key: str) -> ToolContext[Any]:
    """What the tools of the sample ask of their surroundings: database, outbox and key."""
    asked = Call(
        run="", session="", frame="", agent="", step=0, action=key, tool=name, arguments=arguments, idempotency_key=key,
        attempt=1, user="", metadata={}, deadline=datetime.now(UTC) + timedelta(minutes=2),
    )  # fmt: skip
    return ToolContext(asked, deps=open_crm, read_state=lambda call: {}, secret=lambda name: os.environ.get(name, ""))


def _refused(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=why)], is_error=True)


if __name__ == "__main__":
    if sys.stdin.isatty():
        print(
            "This speaks MCP on standard streams, which a client starts: see `entracte init crm -- …`.", file=sys.stderr
        )
    anyio.run(serve)
