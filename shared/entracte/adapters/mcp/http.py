"""HTTP for the SDK's transport: answers within limits, and errors that tell whether a request can have had an effect.

The SDK turns an error status with a JSON-RPC error in its body into that error for the request it belongs to, and a
fault of the connection into the end of the whole session. So faults and bare statuses are given to it in the former
shape, with codes of our own.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping

import httpx2

from entracte.adapters.mcp.faults import OWN_CODES, Kind

MAX_ANSWER_BYTES = 8 * 1024 * 1024
"""Bytes of one answer, or of one event of a stream of them."""


_CONNECT_S = 10.0
_SESSION = "mcp-session-id"


def open_http(headers: Mapping[str, str], *, silence_s: float) -> httpx2.AsyncClient:
    """A client for one server.

    Args:
        silence_s: Longest time without a byte while an answer is awaited.
    """
    timeout = httpx2.Timeout(_CONNECT_S, read=silence_s)
    return httpx2.AsyncClient(headers=dict(headers), timeout=timeout, transport=_Telling(httpx2.AsyncHTTPTransport()))


class _Telling(httpx2.AsyncBaseTransport):
    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol) as error:
            return _error(request, 503, "not_sent", f"It could not be reached: {error or type(error).__name__}.")
        except httpx2.TransportError as error:
            return _error(request, 502, "lost", f"The connection broke: {error or type(error).__name__}.")
        if response.status_code < 400 or _is_json(response):
            return _Bounded.of(response)
        status = response.status_code
        await response.aclose()
        if status == 404 and _SESSION in request.headers:
            return _error(request, status, "session_over", "The server does not know the session any more.")
        if status < 500 and status != 408:
            return _error(request, status, "turned_away", f"The server answered {status} {response.reason_phrase}.")
        return _error(request, status, "lost", f"The server answered {status} {response.reason_phrase}.")

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """A body that breaks off where it grows too long. A stream of events may be long; its events are limited."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    @classmethod
    def of(cls, response: httpx2.Response) -> httpx2.Response:
        if _is_json(response) and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = cls(response.stream)
        return response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_ANSWER_BYTES
        try:
            async for chunk in self._stream:
                left -= len(chunk)
                if left < 0:
                    raise httpx2.StreamError(f"The answer has more than {MAX_ANSWER_BYTES:,} bytes.")
                yield chunk
        except httpx2.TransportError as error:  # in the shape that fails one request, not the session
            raise httpx2.StreamError(f"The connection broke: {error or type(error).__name__}.") from None

    async def aclose(self) -> None:
        await self._stream.aclose()


def _is_json(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").lower().startswith("application/json")


def _error(request: httpx2.Request, status: int, kind: Kind, message: str) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": OWN_CODES[kind], "message": message}}
    content = json.dumps(body).encode()
    return httpx2.Response(status, headers={"content-type": "application/json"}, content=content, request=request)
