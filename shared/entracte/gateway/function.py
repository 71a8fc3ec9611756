"""The gateway as an HTTP function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from entracte.gateway.answering import Command
from entracte.gateway.http import Door, client_of
from entracte.gateway.opening import open_server
from entracte.runtime.compose import Runtime
from entracte.runtime.deployed import deployed, secrets_of
from entracte.runtime.doors.callers import Identify
from entracte.runtime.doors.exposure import refuse_open_api
from entracte.runtime.doors.mounting import Mounted
from entracte.runtime.doors.rates import Throttle, throttle_of
from entracte.runtime.loading import network_of
from entracte.runtime.log import set_up_logs
from entracte.runtime.opening_sign_in import open_identify
from entracte.runtime.services.client_calls import ClientCalls
from entracte.runtime.settings import Settings, read_settings


def mcp_function() -> Callable[[Request], Awaitable[Response]]:
    """The function. Opening it loads the network, so that a fault in it stops the start and is seen.

    Raises:
        ConfigurationError: A setting or the network cannot be used, or anybody would be let in.
    """
    settings = read_settings()
    set_up_logs(structured=settings.structured_logs, project=settings.project)
    refuse_open_api(settings)
    runtime = deployed(network_of(settings), settings)
    door = door_of(
        runtime,
        identify=open_identify(settings, secrets_of(settings), runtime.clock),
        throttle=throttle_of(settings),
        command=command_for(settings),
    )

    async def mcp(request: Request) -> Response:
        return Mounted(door)

    return mcp


def door_of(runtime: Runtime, *, identify: Identify, throttle: Throttle, command: Command) -> Door:
    """The gateway of a network: the tools of its manifest's servers, and its own."""
    calls = ClientCalls(runtime.engine)
    opening = partial(open_server, runtime, calls, command, client_of)
    return Door(opening, identify=identify, throttle=throttle, leave=calls.end)


def command_for(settings: Settings) -> Command:
    """Commands for people who decide from elsewhere."""
    where = f" --url {settings.public_url}" if settings.public_url else ""
    return lambda words: f"entracte {words}{where}"
