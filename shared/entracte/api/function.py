"""The API as an HTTP function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from entracte.api.app import create_app
from entracte.api.identity import LoopbackUser, SignedIn
from entracte.runtime.deployed import deployed, secrets_of
from entracte.runtime.doors.exposure import refuse_open_api
from entracte.runtime.doors.mounting import Mounted
from entracte.runtime.loading import network_of
from entracte.runtime.log import set_up_logs
from entracte.runtime.opening_sign_in import open_sign_in
from entracte.runtime.settings import read_settings

ALONE = 10**6
"""Requests a minute of the one person on their own machine, from whom nobody has to be protected."""


def api_function() -> Callable[[Request], Awaitable[Response]]:
    """The function. Opening it loads the network, so that a fault in it stops the start and is seen.

    Raises:
        ConfigurationError: A setting or the network cannot be used, or anybody would be let in.
    """
    settings = read_settings()
    set_up_logs(structured=settings.structured_logs, project=settings.project)
    refuse_open_api(settings)
    runtime = deployed(network_of(settings), settings)
    app = create_app(
        runtime,
        identify=LoopbackUser(settings.user, settings.operators)
        if settings.auth == ("loopback",)
        else SignedIn(open_sign_in(settings, secrets_of(settings), runtime.clock)),
        cors_origins=settings.cors_origins,
        requests_per_minute=ALONE if settings.auth == ("loopback",) else settings.requests_per_minute,
        proxied=settings.on_cloud_run,
    )

    async def api(request: Request) -> Response:
        return Mounted(app)

    return api
