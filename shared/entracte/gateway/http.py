"""The gateway over streamable HTTP, stateless: any instance serves any request, and nothing outlives it but documents.

https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from uuid import uuid4

import anyio.to_thread
import mcp_types as types
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from entracte.core.client_calls.client import SESSIONS
from entracte.core.client_calls.opening import Client
from entracte.errors import EntracteError, Forbidden, RateLimited, RetryableError, Unauthenticated
from entracte.gateway.faults import told
from entracte.gateway.server import Context, GatewayServer
from entracte.runtime.doors.callers import Identify
from entracte.runtime.doors.cross_site import refuse_cross_site
from entracte.runtime.doors.rates import Throttle

MAX_BODY_BYTES = 4 * 1024 * 1024
"""Largest request; larger ones are answered 413 before they are read to the end."""

SESSION = "Mcp-Session-Id"

_SESSION_ID = re.compile(r"[\x21-\x7e]{1,128}")

_CLIENT = "entracte.client"


class Door:
    """The ASGI app: who is there, whose session it is, and then the protocol.

    Args:
        open_server: Makes the server, at the first request: it asks the servers behind it what they offer.
        leave: Ends a client's session.
    """

    def __init__(
        self,
        open_server: Callable[[], GatewayServer],
        *,
        identify: Identify,
        throttle: Throttle,
        leave: Callable[[Client], object],
    ) -> None:
        self._open_server = open_server
        self._identify = identify
        self._throttle = throttle
        self._leave = leave
        self._opening: asyncio.Task[StreamableHTTPSessionManager] | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = HTTPConnection(scope)
        try:
            self._throttle.arrive(scope)
            refuse_cross_site(request)
            owner = (await anyio.to_thread.run_sync(self._identify, request)).name
            with self._throttle.admit(owner):
                given = request.headers.get(SESSION, "")
                if given and not _SESSION_ID.fullmatch(given):
                    answer: Response = _refusal(400, types.INVALID_REQUEST, f"{SESSION} is not one that was given.")
                elif scope["method"] == "DELETE" and given:
                    await anyio.to_thread.run_sync(self._leave, Client(owner=owner, session=session_of(owner, given)))
                    answer = Response(status_code=204)
                elif scope["method"] != "POST":
                    answer = Response(status_code=405, headers={"Allow": "POST, DELETE"})
                else:
                    await self._serve(owner, given, scope, receive, send)
                    return
        except Unauthenticated as error:
            answer = _refusal(401, types.INVALID_REQUEST, str(error))
            answer.headers["WWW-Authenticate"] = "Bearer"
        except Forbidden as error:
            answer = _refusal(403, types.INVALID_REQUEST, str(error))
        except RateLimited as error:
            answer = _refusal(429, types.INVALID_REQUEST, str(error))
            answer.headers["Retry-After"] = str(error.retry_after_s)
        except RetryableError as error:
            answer = _refusal(503, types.INTERNAL_ERROR, told(error))
        except EntracteError as error:
            answer = _refusal(500, types.INTERNAL_ERROR, told(error))
        await answer(scope, receive, send)

    async def close(self) -> None:
        """Let go of what serves requests."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    async def _serve(self, owner: str, given: str, scope: Scope, receive: Receive, send: Send) -> None:
        """The protocol. Whoever may be opening a session is given a name for it; calls without one are the owner's."""
        manager = await self._opened()
        opens = not given and "mcp-protocol-version" not in Headers(scope=scope)

        async def send_with_session(message: Message) -> None:
            if opens and message["type"] == "http.response.start":
                MutableHeaders(scope=message)[SESSION] = uuid4().hex
            await send(message)

        scope = {**scope, _CLIENT: Client(owner=owner, session=session_of(owner, given))}
        await manager.handle_request(scope, receive, send_with_session)

    async def _opened(self) -> StreamableHTTPSessionManager:
        """The SDK's part. Whoever comes while it is opened waits for the same; if that fails, the next opens anew."""
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def _open(self) -> StreamableHTTPSessionManager:
        """Keep it running in a task of its own: a function has no other place for what lives on."""
        server = await anyio.to_thread.run_sync(self._open_server)
        manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=MAX_BODY_BYTES)
        started = asyncio.Event()
        self._running = asyncio.create_task(_run(manager, started))
        await started.wait()
        return manager


def client_of(ctx: Context) -> Client:
    """Whose request it is, as the door has found out."""
    client = ctx.request.scope[_CLIENT] if ctx.request is not None else None
    assert isinstance(client, Client)
    return client


def session_of(owner: str, given: str) -> str:
    """Entracte's session: of the client's own, or of all that the owner asks for without one."""
    return SESSIONS + sha256(f"mcp\0{owner}\0{given}".encode()).hexdigest()[:20]


async def _run(manager: StreamableHTTPSessionManager, started: asyncio.Event) -> None:
    async with manager.run():
        started.set()
        await asyncio.Event().wait()


def _refusal(status: int, code: int, message: str) -> Response:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return JSONResponse(error, status_code=status)
