"""The HTTP API as a FastAPI app."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import Depends, FastAPI
from starlette.middleware import Middleware

from entracte.api.boundary import Boundary
from entracte.api.openapi import describe
from entracte.api.problems import answer_errors
from entracte.api.requests.query import refuse_unknown
from entracte.api.routes import (
    artifacts,
    erasures,
    events,
    gate_page,
    gates,
    going_on,
    letters,
    links,
    memories,
    network,
    runs,
    service,
    sessions,
    undo,
)
from entracte.api.waiting import Patience
from entracte.runtime.compose import Runtime
from entracte.runtime.doors.callers import Identify, LoopbackUser
from entracte.runtime.doors.rates import ALONE, Throttle

THIS_MACHINE = LoopbackUser("local")
"""Everybody on this machine is the same person; nobody else is let in."""

DESCRIPTION = """Runs agents. A run is started, ends or waits for a person, and can be read at any time.

Errors are `application/problem+json` and say what to do. Every answer has an `X-Request-Id`, which is the caller's own
if it sent one."""


def create_app(
    runtime: Runtime,
    *,
    identify: Identify = THIS_MACHINE,
    patience: Patience | None = None,
    cors_origins: Sequence[str] = (),
    throttle: Throttle | None = None,
) -> FastAPI:
    """The API of a network. It opens nothing by itself: the runtime stays its owner's to close.

    Args:
        identify: Says who is calling.
        patience: How it waits for runs; on the clock by default.
        cors_origins: Sites whose pages may call it and read the answers.
        throttle: How much it lets through of one caller; as much as of one alone on their machine by default.
    """
    throttle = throttle or Throttle(ALONE)
    app = FastAPI(
        title="Entracte API",
        version=runtime.network.blueprint.version,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a redirect would name the address that a proxy sees
        middleware=[
            Middleware(Boundary, throttle=throttle, sites=cors_origins),
            *_cors(cors_origins),
        ],
    )
    app.state.throttle = throttle
    app.state.runtime, app.state.identify, app.state.patience = runtime, identify, patience or Patience()
    for part in (
        runs,
        events,
        going_on,
        undo,
        gates,
        links,
        sessions,
        artifacts,
        memories,
        letters,
        erasures,
        network,
    ):
        app.include_router(part.router, dependencies=[Depends(refuse_unknown)])
    # Mail programs and probes add parameters of their own to what they open.
    for page in (gate_page, service):
        app.include_router(page.router)
    answer_errors(app)
    describe(app)
    return app


def _cors(origins: Sequence[str]) -> list[Middleware]:
    """Pages of these sites may send tokens that they hold; cookies, such as IAP's, are never sent along."""
    if not origins:
        return []
    from starlette.middleware.cors import CORSMiddleware

    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "X-Request-Id"],
            expose_headers=["Location", "Retry-After", "X-Request-Id"],
        )
    ]
