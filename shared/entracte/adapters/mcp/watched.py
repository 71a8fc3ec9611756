"""A stream of messages from a server that tells when it has ended."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any

from mcp.shared.message import SessionMessage


class Watched:
    """The SDK's read stream. Its end is known here before any request that was under way learns of it.

    Attributes:
        ended: The server has closed its end, or ours was closed.
    """

    def __init__(self, stream: Any) -> None:
        self.ended = asyncio.Event()
        self._stream = stream

    @property
    def last_context(self) -> Any:
        """The SDK looks for it."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            message: SessionMessage | Exception = await self._stream.receive()
        except BaseException:
            self.ended.set()
            raise
        return message

    async def aclose(self) -> None:
        self.ended.set()
        await self._stream.aclose()

    def __aiter__(self) -> Watched:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            message: SessionMessage | Exception = await self._stream.__anext__()
        except BaseException:
            self.ended.set()
            raise
        return message

    async def __aenter__(self) -> Watched:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
