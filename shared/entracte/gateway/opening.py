"""Opening the server of a network's gateway."""

from __future__ import annotations

from collections.abc import Callable

from entracte.core.client_calls.opening import Client
from entracte.gateway.answering import Command
from entracte.gateway.offer import Offer
from entracte.gateway.server import Context, GatewayServer
from entracte.gateway.waiting_calls import WaitingCalls
from entracte.runtime.compose import Runtime
from entracte.runtime.services.client_calls import ClientCalls


def open_server(
    runtime: Runtime, calls: ClientCalls, command: Command, client_of: Callable[[Context], Client]
) -> GatewayServer:
    """The tools of the manifest's servers, and the network's own. Asks the servers what they offer.

    Args:
        command: Makes the commands that clients are told, for people who type them.
        client_of: Says whose session a request belongs to.

    Raises:
        ServerUnavailable: One of them does not say.
    """
    manifest = runtime.network.policy.manifest
    servers = tuple(manifest.servers) if manifest is not None else ()
    offer = Offer(runtime.servers, servers, runtime.network.blueprint.tools)
    return GatewayServer(offer, WaitingCalls(calls, runtime.servers, offer.names, command), client_of)
