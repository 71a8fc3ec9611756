"""A manifest's servers in this process, on an SQLite file: what the proxy runs on."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from entracte.adapters.mcp.servers import McpServers
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents.policy import read_policy
from entracte.errors import ConfigurationError, ServerRefused, ServerUnavailable
from entracte.runtime.local.embedded import Embedded, open_embedded
from entracte.runtime.local.manifest_network import manifest_network
from entracte.runtime.settings import FOLDER, Settings, store_file


def open_manifest(path: Path, settings: Settings) -> Embedded:
    """Open a manifest's servers, ask them what they offer, and the store that calls are kept in.

    Raises:
        ConfigurationError: The manifest or a server of it cannot be used; says why.
    """
    policy = read_policy(str(path))
    found = policy.manifest.servers if policy.manifest is not None else {}
    if not found:
        raise ConfigurationError(
            f"{path} names no server.", remedy="Name one under servers, or write a manifest anew: entracte init."
        )
    servers = McpServers(found, EnvironmentSecrets(settings.variables), SystemClock())
    try:
        listing = {name: servers.list_tools(name) for name in found}
        network = manifest_network(replace(policy, listing=listing), path)
        kept = replace(settings, store=str(store_of(path, settings)))
        return open_embedded(network, kept, servers=servers)
    except (ServerUnavailable, ServerRefused) as error:
        servers.close()
        raise ConfigurationError(
            str(error), remedy="See that the server's command runs by itself, in this folder."
        ) from None
    except BaseException:
        servers.close()
        raise


def store_of(manifest: Path, settings: Settings) -> Path:
    """The SQLite file: the one named, else the nearest above the current folder, else a new one beside the manifest."""
    file = store_file(settings.store)
    return (file if settings.store or file.exists() else manifest.parent / FOLDER / file.name).absolute()
