"""The API as an HTTP function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from entracte.api.app import create_app
from entracte.runtime.deployed import deployed, secrets_of
from entracte.runtime.doors.exposure import refuse_open_api
from entracte.runtime.doors.mounting import Mounted
from entracte.runtime.doors.rates import throttle_of
from entracte.runtime.loading import network_of
from entracte.runtime.log import set_up_logs
from entracte.runtime.opening_sign_in import open_identify
from entracte.runtime.settings import read_settings


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
        identify=open_identify(settings, secrets_of(settings), runtime.clock),
        cors_origins=settings.cors_origins,
        throttle=throttle_of(settings),
    )

    async def api(request: Request) -> Response:
        return Mounted(app)

    return api
