"""An ASGI app within a function: the functions framework has no other place for one."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send


class Mounted(Response):
    """A response that has an app answer the request."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the app answer."""
        await self._app(scope, receive, send)
