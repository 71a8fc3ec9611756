"""The gateway on standard input and output: one client, whose session lasts as long as the process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from uuid import uuid4

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

from entracte.core.client_calls.opening import Client
from entracte.gateway.answering import Command
from entracte.gateway.opening import open_server
from entracte.gateway.server import Context, GatewayServer
from entracte.runtime.local.embedded import Embedded
from entracte.runtime.services.client_calls import ClientCalls

LEAVE_S = 1.5
"""How long changes under way may take to end once the client has left. Clients kill what does not end soon."""


def serve_stdio(embedded: Embedded, command: Command) -> None:
    """Serve until the client closes its end, or the process is told to stop. Standard output has the protocol alone.

    Args:
        command: Makes the commands that the client is told, for a person who types them.
    """
    runtime, session = embedded.runtime, uuid4().hex[:20]
    calls = ClientCalls(runtime.engine)

    def client_of(ctx: Context) -> Client:
        return Client(owner=embedded.owner, session=session, name=client_name(ctx))

    def leave() -> None:
        calls.wait_quiet(LEAVE_S)
        calls.end(Client(owner=embedded.owner, session=session))
        embedded.close()

    server = open_server(runtime, calls, command, client_of)
    try:
        anyio.run(_serve, server, leave)
    finally:
        leave()


def client_name(ctx: Context) -> str:
    """What a client calls itself."""
    known = ctx.session.client_params
    return f"{known.client_info.name} {known.client_info.version}".strip()[:100] if known else "an MCP client"


async def _serve(server: GatewayServer, leave: Callable[[], None]) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_when_told, leave)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _stop_when_told(leave: Callable[[], None]) -> None:
    """Clients end a proxy by a signal as often as by closing its input; reading from it cannot be broken off."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            await anyio.to_thread.run_sync(leave)
            os._exit(0)
