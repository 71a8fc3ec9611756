"""What every request passes on its way in and out: its name, the headers of safety, one line of log."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Collection, Mapping
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from entracte.api.problems import ProblemResponse, error_problem, headers_of, internal_problem
from entracte.errors import Forbidden, RateLimited
from entracte.runtime.doors.cross_site import refuse_cross_site
from entracte.runtime.doors.rates import Throttle

log = logging.getLogger("entracte")

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")

SAFE_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Unless a route says otherwise: keep no copy, show it in no frame, run nothing of it.

There is no Access-Control-Allow-Origin: pages of other sites may not read what the API answers, but for the sites that
a deployment names.
https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers
"""


class Boundary:
    """ASGI middleware. Lets no exception out: what wraps the app in the functions framework would answer in text."""

    def __init__(self, app: ASGIApp, *, throttle: Throttle, sites: Collection[str] = ()) -> None:
        """Put it before an app.

        Args:
            sites: Whose pages may call it.
        """
        self._app = app
        self._throttle = throttle
        self._sites = sites

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, under the name that the caller gave it or a new one (``X-Request-Id``)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        scope["state"] = state = {**scope.get("state", {}), "request_id": request_id}
        began, status = time.monotonic(), 0

        async def send_safely(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._throttle.arrive(scope)
            refuse_cross_site(HTTPConnection(scope), self._sites)
            await self._app(scope, receive, send_safely)
        except (RateLimited, Forbidden) as error:
            await ProblemResponse(error_problem(request_id, error), headers_of(error))(scope, receive, send_safely)
        except ClientDisconnect:
            log.info("client_gone request_id=%s", request_id)
        except Exception as error:  # noqa: BLE001 - the last place where it can become an answer; it is logged below
            state["fault"] = error
            if not status:
                await ProblemResponse(internal_problem(request_id))(scope, receive, send_safely)
        if "fault" in state:
            log.error("request_failed request_id=%s", request_id, exc_info=state["fault"])
        log.info(
            "request_answered method=%s path=%s status=%s duration_ms=%s request_id=%s",
            scope["method"],
            scope.get("raw_path", b"").decode("ascii", "replace")[:200],  # still escaped: it cannot forge a line
            status,
            int((time.monotonic() - began) * 1000),
            request_id,
        )
