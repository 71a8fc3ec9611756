"""One connection to one server: opened, used by many threads at once, ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

import httpx2
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from pydantic import RootModel, ValidationError

from entracte.adapters.mcp.faults import OWN_CODES, RequestFault, fault_of
from entracte.adapters.mcp.http import MAX_ANSWER_BYTES, open_http
from entracte.adapters.mcp.stderr import Stderr
from entracte.adapters.mcp.watched import Watched
from entracte.core.header_value import header_value
from entracte.core.policy.server import CommandServer, Server
from entracte.core.policy.text.variables import resolved
from entracte.errors import EntracteError, ServerUnavailable

for _name in ("mcp", "client"):  # the SDK's loggers: every fault comes back as an error too, and would be told twice
    logging.getLogger(_name).setLevel(logging.CRITICAL)

CLIENT = types.Implementation(name="entracte", version="0.1.0")

_CLOSE_S = 10.0


class _Result(RootModel[dict[str, Any]]):
    """Any result, as it came."""


class Connection:
    """One connection. All of it lives in one task, as the SDK's scopes want it; requests come from other tasks."""

    def __init__(self, name: str, server: Server, secret: Callable[[str], str], *, silence_s: float) -> None:
        self._name = name
        self._server = server
        self._secret = secret
        self._silence_s = silence_s
        self._session: ClientSession
        self._stop = asyncio.Event()
        self._ended: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """Whether requests can be made: it was opened, and neither side has closed it since."""
        return self._ended is not None and not self._ended.is_set()

    async def open(self, timeout_s: float) -> None:
        """Connect and agree on a version of the protocol.

        Raises:
            ServerUnavailable: It cannot be reached or started, or does not speak the protocol; says why.
        """
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(opened))
        try:
            await asyncio.wait_for(asyncio.shield(opened), timeout_s)
        except TimeoutError:
            self._stop.set()
            opened.cancel()
            self._task.cancel()
            raise ServerUnavailable(
                f"MCP server {self._name} did not answer within {timeout_s:.0f} s of being called upon."
            ) from None

    @property
    def about(self) -> dict[str, Any]:
        """What the server says of itself, as it came."""
        said = self._session.initialize_result or self._session.discover_result
        return said.model_dump(by_alias=True, mode="json", exclude_none=True) if said is not None else {}

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout_s: float, on_progress: ProgressFnT | None = None
    ) -> dict[str, Any]:
        """Make one request, once.

        Raises:
            RequestFault: There is no result; says why.
        """
        try:
            result = await self._session.send_request(
                types.Request[Any, Any](method=method, params=dict(params)),
                _Result,
                request_read_timeout_seconds=timeout_s,
                progress_callback=on_progress,
            )
            return result.root
        except MCPError as error:
            raise fault_of(error.error.model_dump(by_alias=True, exclude_none=True)) from None
        except ValidationError:
            message = f"The result is not what the protocol has for {method}."
            raise RequestFault("lost", {"code": OWN_CODES["lost"], "message": message}) from None

    async def close(self) -> None:
        """End it, and wait until a started server has gone."""
        self._stop.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_CLOSE_S)

    async def _live(self, opened: asyncio.Future[None]) -> None:
        async with AsyncExitStack() as around:
            stderr: Stderr | None = None
            try:
                async with AsyncExitStack() as stack:
                    if isinstance(self._server, CommandServer):
                        env = self._filled(self._server.env)
                        stderr = around.enter_context(Stderr(env.values()))
                        transport = _started(self._server, env, stderr)
                    else:
                        filled = self._filled(self._server.headers)
                        headers = {name: header_value(text, of=f"Its header {name}") for name, text in filled.items()}
                        http = await stack.enter_async_context(open_http(headers, silence_s=self._silence_s))
                        transport = _reached(self._server.url, http)
                    read, write = await stack.enter_async_context(transport)
                    watched = Watched(read)
                    self._session = await stack.enter_async_context(ClientSession(watched, write, client_info=CLIENT))
                    await _agree(self._session)
                    self._ended = watched.ended
                    if not opened.done():
                        opened.set_result(None)
                    await _first(self._stop.wait(), self._ended.wait())
                    self._ended.set()
            except Exception as error:  # noqa: BLE001  # whatever ends it: who waits for it is told, others find it dead
                if not opened.done():
                    told = stderr.told() if stderr is not None else ""
                    opened.set_exception(ServerUnavailable(f"MCP server {self._name}: {_why(error, told)}"))
            finally:
                if self._ended is not None:
                    self._ended.set()

    def _filled(self, texts: Mapping[str, str]) -> dict[str, str]:
        return {name: resolved(text, self._secret) for name, text in texts.items()}


def _started(server: CommandServer, env: dict[str, str], stderr: Stderr) -> AbstractAsyncContextManager[Any]:
    parameters = StdioServerParameters(command=server.command, args=list(server.args), env=env)
    return stdio_client(parameters, errlog=stderr.file)


def _reached(url: str, http: httpx2.AsyncClient) -> AbstractAsyncContextManager[Any]:
    return streamable_http_client(url, http_client=http, max_sse_event_size=MAX_ANSWER_BYTES)


async def _agree(session: ClientSession) -> None:
    """The handshake that nearly all servers know, else the one of the newest version of the protocol."""
    try:
        await session.initialize()
    except MCPError as error:
        if error.code != types.UNSUPPORTED_PROTOCOL_VERSION:
            raise
        await session.discover()


async def _first(*waits: Any) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


def _why(error: BaseException, told: str) -> str:
    """What went wrong, and what the server itself said of it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case FileNotFoundError():
            said = f"there is no command {error.filename!r}."
        case MCPError():
            said = error.message
        case EntracteError():
            said = str(error)
        case _:
            said = f"{type(error).__name__}: {error}"
    return f"{said}\n{told}" if told else said
