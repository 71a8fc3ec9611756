"""The HTTP API as a FastAPI app."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware import Middleware

from entracte.api import description, gate_page, gates, links, network, runs, sessions, undo
from entracte.api.boundary import Boundary
from entracte.api.description import describe
from entracte.api.identity import Identify, LoopbackUser
from entracte.api.problems import answer_errors
from entracte.api.waiting import Patience
from entracte.runtime.compose import Runtime

THIS_MACHINE = LoopbackUser("local")
"""Everybody on this machine is the same person; nobody else is let in."""

DESCRIPTION = """Runs agents. A run is started, ends or waits for a person, and can be read at any time.

Errors are `application/problem+json` and say what to do. Every answer has an `X-Request-Id`, which is the caller's own
if it sent one."""


def create_app(runtime: Runtime, *, identify: Identify = THIS_MACHINE, patience: Patience | None = None) -> FastAPI:
    """The API of a network. It opens nothing by itself: the runtime stays its owner's to close.

    Args:
        identify: Says who is calling.
        patience: How it waits for runs; on the clock by default.
    """
    app = FastAPI(
        title="Entracte API",
        version=runtime.network.blueprint.version,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a redirect would name the address that a proxy sees
        middleware=[Middleware(Boundary)],
    )
    app.state.runtime, app.state.identify, app.state.patience = runtime, identify, patience or Patience()
    for part in (runs, undo, gates, links, gate_page, sessions, network, description):
        app.include_router(part.router)
    answer_errors(app)
    describe(app)
    return app
