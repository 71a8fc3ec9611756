"""The MCP server that clients talk to: tools go through the undo layer, everything else straight to the servers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ConfigDict

from entracte.core.client_calls.opening import Client
from entracte.errors import InvalidInput, NotFound, ServerRefused
from entracte.gateway.faults import told
from entracte.gateway.instructions import instructions
from entracte.gateway.offer import Offer
from entracte.gateway.waiting_calls import WaitingCalls

MAX_CALLS_AT_ONCE = 32
"""Requests of all clients that are worked on at a time; more wait their turn."""

Context = ServerRequestContext[Any, Any]

_FORWARDED: Mapping[str, str] = {
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "completion/complete": "completions",
}
"""Requests that are passed on, and the capability that a server must have for them. Subscriptions, notices of changes
and log messages are not among them, so that the gateway does not say that it has them."""

_NEWEST: Mapping[str, Any] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What the newest version of the protocol wants in results, and servers of older ones do not say. Nothing is cached."""

_raw: ContextVar[dict[str, Any] | None] = ContextVar("raw_result", default=None)


class _Any(types.RequestParams):
    """Parameters as they come; the SDK has checked them against the protocol before."""

    model_config = ConfigDict(extra="allow")


class GatewayServer(Server[Any]):
    """One for all clients of a process.

    Args:
        client_of: Says whose session a request belongs to.
        offer: The tools, prompts and resources that there are.
        calls: Makes the calls of tools.
    """

    def __init__(self, offer: Offer, calls: WaitingCalls, client_of: Callable[[Context], Client]) -> None:
        about = offer.about
        info = about.get("serverInfo", {})
        super().__init__(
            name=str(info.get("name", "entracte")),
            version=str(info.get("version", "")),
            title=info.get("title"),
            instructions=instructions(offer.instructions),
        )
        self._offer = offer
        self._calls = calls
        self._client_of = client_of
        self._limiter = anyio.CapacityLimiter(MAX_CALLS_AT_ONCE)
        self.middleware.append(_as_it_came)
        self.add_request_handler("tools/list", _Any, self._forward)
        self.add_request_handler("tools/call", _Any, self._call_tool)
        for method, capability in _FORWARDED.items():
            if capability in offer.capabilities:
                self.add_request_handler(method, _Any, self._forward)

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """What is served here, whatever the servers behind may do beside it."""
        return types.ServerCapabilities(
            tools=types.ToolsCapability(),
            prompts=types.PromptsCapability() if "prompts" in self._offer.capabilities else None,
            resources=types.ResourcesCapability() if "resources" in self._offer.capabilities else None,
            completions=types.CompletionsCapability() if "completions" in self._offer.capabilities else None,
        )

    async def _forward(self, ctx: Context, params: _Any) -> HandlerResult:
        return await self._answer(ctx, partial(self._offer.request, ctx.method, _without_meta(ctx.params)))

    async def _call_tool(self, ctx: Context, params: _Any) -> HandlerResult:
        asked, loop = ctx.params or {}, asyncio.get_running_loop()

        def report(progress: float, total: float | None, message: str | None) -> None:
            asyncio.run_coroutine_threadsafe(ctx.session.report_progress(progress, total, message), loop)

        begun: list[str] = []
        call, name, arguments = self._calls.call, str(asked.get("name", "")), asked.get("arguments") or {}
        try:
            return await self._answer(ctx, partial(call, self._client_of(ctx), name, arguments, report, begun))
        except asyncio.CancelledError:
            self._calls.give_up(begun)
            raise

    async def _answer(self, ctx: Context, work: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """Do the work in a thread. A client that cancels is not waited for; what was begun is recorded all the same."""
        try:
            result = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        except ServerRefused as refused:
            raise _error(refused.error) from None
        except (InvalidInput, NotFound) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except Exception as error:  # noqa: BLE001  # the SDK would tell the client of it, and nobody else
            raise MCPError(types.INTERNAL_ERROR, told(error)) from None
        if (said := result.get("error")) is not None and "content" not in result:
            raise _error(said)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return {**_NEWEST, **result}
        if (raw := _raw.get()) is not None:
            raw["result"] = dict(result)
        return dict(result)


async def _as_it_came(ctx: Context, call_next: CallNext) -> HandlerResult:
    """A server's result as it came, and not what the SDK's version of the protocol knows of it.

    Clients of the newest version need what that version adds to every result, and the SDK's shape with it.
    """
    if ctx.request_id is None or ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return await call_next(ctx)
    raw: dict[str, Any] = {}
    token = _raw.set(raw)
    try:
        result = await call_next(ctx)
    finally:
        _raw.reset(token)
    return raw.get("result", result)


def _error(said: Mapping[str, Any]) -> MCPError:
    return MCPError(int(said["code"]), str(said["message"]), said.get("data"))


def _without_meta(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters without what is between this client and this gateway: progress token, envelope, trace."""
    return {name: value for name, value in (params or {}).items() if name != "_meta"}
