"""Loading a network from ``package.module:name``."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from entracte.agents.models import Model, Models
from entracte.agents.network import Network
from entracte.agents.policy import read_policy
from entracte.errors import ConfigurationError
from entracte.raised_at import raised_at
from entracte.runtime.settings import Settings

PREFIX = "manifest:"
"""How the network of a manifest alone is named: this, and the manifest's path."""


def load_network(reference: str) -> Network:
    """Import a network and name it after where it was found; or make the one of a manifest, ``manifest:PATH``.

    Raises:
        ConfigurationError: The reference is malformed, the import fails, or what is there is no network.
    """
    if reference.startswith(PREFIX):
        from entracte.runtime.local.manifest_network import manifest_network

        path = Path(reference.removeprefix(PREFIX))
        return manifest_network(read_policy(str(path)), path)
    module_name, _, name = reference.partition(":")
    if not module_name or not name:
        raise ConfigurationError(
            f"The network is named {reference!r}; expected package.module:name, such as crm:network.",
            remedy="Name it so with --network, or in the variable ENTRACTE_NETWORK.",
        )
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does: a network in the current folder is found
    try:
        module = importlib.import_module(module_name)
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(
            f"Network {reference!r} fails to import: {type(error).__name__}: {error}{raised_at(error)}",
            remedy="Go to the folder of its module, or name the network with --network."
            if _is_absent(error, module_name)
            else "",
        ) from error
    found = getattr(module, name, None)
    if found is None:
        raise ConfigurationError(
            f"Module {module_name!r} has no {name!r}.", remedy=f"Check the network's name: {reference}."
        )
    if not isinstance(found, Network):
        raise ConfigurationError(f"{reference!r} is a {type(found).__name__}, not a Network.")
    return found.using(name=reference)


def _is_absent(error: Exception, module: str) -> bool:
    """Whether the module itself, or a package around it, was not found, and not something that it imports."""
    return isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")


def network_of(settings: Settings) -> Network:
    """The network that the settings name, with the model that they put in place of its own."""
    network = load_network(settings.network)
    return with_model(network, settings.model, settings.model_base_url)


def with_model(network: Network, model: str, base_url: str = "") -> Network:
    """The network with one model for every role; unchanged when none is named."""
    if not model:
        return network
    return network.using(models=Models(main=Model(model, base_url=base_url)))
