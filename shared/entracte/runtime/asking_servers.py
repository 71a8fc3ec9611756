"""Asking MCP servers what they offer, outside of any run."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from entracte.adapters.mcp.servers import McpServers
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.core.policy.listing import Listing
from entracte.core.policy.server import Server
from entracte.errors import ConfigurationError, ServerRefused, ServerUnavailable
from entracte.runtime.settings import read_settings


def ask_servers(servers: Mapping[str, Server]) -> tuple[Listing, Mapping[str, str]]:
    """What each server offers, and why some of them could not be asked. Starts them, and stops them again."""
    asked = McpServers(servers, EnvironmentSecrets(read_settings().variables), SystemClock())
    found, faults = {}, {}
    try:
        for name in servers:
            try:
                found[name] = asked.list_tools(name)
            except (ServerUnavailable, ServerRefused, ConfigurationError) as error:
                faults[name] = str(error)
    finally:
        asked.close()
    return found, faults


def listing_of(servers: Mapping[str, Server], written: Listing) -> Listing:
    """What the servers offer: as it was written down, else as they say now.

    Raises:
        ConfigurationError: One of them has to be asked, and cannot be.
    """
    unwritten: Collection[str] = [name for name in servers if name not in written]
    found, faults = ask_servers({name: servers[name] for name in unwritten}) if unwritten else ({}, {})
    if faults:
        raise ConfigurationError(
            "\n".join(faults.values()),
            remedy="See that it runs; or write its tools down once it does: entracte check --manifest FILE --write.",
        )
    return {name: (written if name in written else found)[name] for name in servers}
