"""The servers port by the MCP SDK.

A call is sent once. It is sent again only where it is certain that nothing came of it: it changes nothing, or the
server turned it away because it did not know the session any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, assert_never

from entracte.adapters.mcp.answers import answer_of, refusal_of
from entracte.adapters.mcp.faults import RequestFault
from entracte.adapters.mcp.loop import Loop
from entracte.core.calls import Call, ServerAnswer
from entracte.core.policy.matching import split_name
from entracte.core.policy.server import Server
from entracte.errors import ConfigurationError, ServerRefused, ServerUnavailable, ToolError
from entracte.ports.clock import Clock
from entracte.ports.secrets import Secrets
from entracte.ports.servers import OnProgress

if TYPE_CHECKING:
    from entracte.adapters.mcp.connection import Connection

IDEMPOTENCY_KEY = "entracte/idempotency-key"
"""Name of the key in a call's ``_meta``."""

MAX_PAGES = 100
"""Pages of one list that are asked for."""

MAX_TOOLS = 1000

CONNECT_S = 30.0
"""Longest time for starting a server and shaking hands; a package that is fetched first should be installed before."""

LIST_S = 30.0

LATE_S = 600.0
"""How long the end of a changing call is listened for after its deadline. It is not cancelled then: a change that is
broken off in the middle is worse than a late one. A call that changes nothing is cancelled at its deadline."""


class McpServers:
    """The servers of a manifest, each with at most one connection, which is opened when it is needed."""

    def __init__(self, servers: Mapping[str, Server], secrets: Secrets, clock: Clock) -> None:
        self._servers = servers
        self._secrets = secrets
        self._clock = clock
        self._loop = Loop()
        self._links: dict[str, _Link] = {}
        self._reads: dict[str, asyncio.Task[Any]] = {}  # calls that may be broken off, by their keys
        self.on_progress: OnProgress = lambda call, progress, total, message: None

    def call(self, call: Call, *, readonly: bool, report: Callable[[str], object]) -> ServerAnswer:
        return self._loop.run(self._call(call, readonly, report))

    def give_up(self, idempotency_key: str) -> None:
        if (read := self._reads.get(idempotency_key)) is not None:
            read.get_loop().call_soon_threadsafe(read.cancel)

    def about(self, server: str) -> Mapping[str, Any]:
        return self._loop.run(self._about(server))

    def list_tools(self, server: str) -> tuple[Mapping[str, Any], ...]:
        return self._loop.run(self._list_tools(server))

    def request(self, server: str, method: str, params: Mapping[str, Any], *, timeout_s: float) -> Mapping[str, Any]:
        return self._loop.run(self._request(server, method, params, timeout_s))

    def close(self) -> None:
        if self._loop.is_running:
            self._loop.run(self._close())
            self._loop.close()

    async def _call(self, call: Call, readonly: bool, report: Callable[[str], object]) -> ServerAnswer:
        name, tool = split_name(call.tool)
        params = {
            "name": tool,
            "arguments": dict(call.arguments),
            "_meta": {IDEMPOTENCY_KEY: call.idempotency_key},
        }

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            report(message or (f"{progress:g}" if total is None else f"{progress:g} of {total:g}"))
            self.on_progress(call, progress, total, message)

        if readonly and (task := asyncio.current_task()) is not None:
            self._reads[call.idempotency_key] = task
        try:
            for again in (True, False):
                connection = await self._connected(name, min(CONNECT_S, self._left_s(call)))
                left_s = self._left_s(call)
                listen_s = left_s if readonly else left_s + LATE_S
                try:
                    return answer_of(
                        await connection.request("tools/call", params, timeout_s=listen_s, on_progress=on_progress)
                    )
                except RequestFault as fault:
                    if not (again and (fault.kind == "session_over" or (readonly and fault.kind == "lost"))):
                        return _end_of(fault, f"MCP server {name}", tool)
                    if fault.kind == "session_over":
                        self._links[name].forget(connection)
        except ServerUnavailable as error:
            raise ToolError(f"{error.message}\nThe tool was not called.") from None
        finally:
            self._reads.pop(call.idempotency_key, None)
        raise AssertionError("the second try ends in any case")

    async def _about(self, server: str) -> Mapping[str, Any]:
        return (await self._connected(server, CONNECT_S)).about

    async def _list_tools(self, server: str) -> tuple[Mapping[str, Any], ...]:
        found: list[Mapping[str, Any]] = []
        cursor: dict[str, Any] = {}
        for _ in range(MAX_PAGES):
            page = await self._request(server, "tools/list", cursor, LIST_S)
            found += page["tools"]
            if not page.get("nextCursor"):
                break
            cursor = {"cursor": page["nextCursor"]}
        return tuple(found[:MAX_TOOLS])

    async def _request(
        self, server: str, method: str, params: Mapping[str, Any], timeout_s: float
    ) -> Mapping[str, Any]:
        for again in (True, False):
            connection = await self._connected(server, CONNECT_S)
            try:
                return await connection.request(method, params, timeout_s=timeout_s)
            except RequestFault as fault:
                if again and fault.kind in ("session_over", "lost"):
                    if fault.kind == "session_over":
                        self._links[server].forget(connection)
                    continue
                if fault.kind == "refused":
                    raise ServerRefused(f"MCP server {server}: {fault.message}", error=fault.error) from None
                raise ServerUnavailable(f"MCP server {server}: {fault.message}") from None
        raise AssertionError("the second try ends in any case")

    async def _connected(self, server: str, timeout_s: float) -> Connection:
        if server not in self._servers:
            raise ServerUnavailable(f"The policy names no MCP server {server!r}.")
        link = self._links.setdefault(server, _Link())
        return await link.connection(lambda: self._new_connection(server), timeout_s)

    def _new_connection(self, server: str) -> Connection:
        try:
            from entracte.adapters.mcp.connection import Connection  # the SDK takes half a second to import
        except ModuleNotFoundError as missing:
            raise ConfigurationError(
                f"MCP server {server!r} needs the package {missing.name!r}.", remedy="Install entracte[mcp]."
            ) from None
        return Connection(server, self._servers[server], self._secrets.get, silence_s=2 * LATE_S)

    def _left_s(self, call: Call) -> float:
        """Seconds until a call must have ended.

        Raises:
            ToolError: There are none left, so that it must not begin.
        """
        left_s = (call.deadline - self._clock.now()).total_seconds()
        if left_s <= 0:
            raise ToolError(f"The time for {call.tool} was up before it could be called.")
        return left_s

    async def _close(self) -> None:
        await asyncio.gather(*(link.close() for link in self._links.values()))
        self._links.clear()
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


def _end_of(fault: RequestFault, server: str, tool: str) -> ServerAnswer:
    """What is known of a call that has no result.

    Raises:
        ToolError: Nothing happened.
        TimeoutError, ConnectionError: Nobody knows.
    """
    match fault.kind:
        case "refused":
            return refusal_of(fault.error)
        case "not_sent" | "turned_away" | "session_over":
            raise ToolError(f"{server}: {fault.message} The tool was not called.")
        case "lost":
            raise ConnectionError(f"{server} was lost while {tool} was called: {fault.message}")
        case "timeout":
            raise TimeoutError(f"{server} did not answer in time.")
        case _:
            assert_never(fault.kind)


class _Link:
    """The way to one server: its connection, opened by the first who needs it while the others wait."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._connection: Connection | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def connection(self, new: Callable[[], Connection], timeout_s: float) -> Connection:
        async with self._lock:
            if self._connection is None or not self._connection.alive:
                if self._connection is not None:
                    self.forget(self._connection)
                opening = new()
                await opening.open(timeout_s)
                self._connection = opening
            return self._connection

    def forget(self, connection: Connection) -> None:
        """Have the next request open another."""
        if self._connection is connection:
            self._connection = None
            closing = asyncio.create_task(connection.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
        if self._closing:
            await asyncio.wait(self._closing)
