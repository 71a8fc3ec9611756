"""Checking a network and its policy before anything runs under them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from entracte.agents.network import Network
from entracte.agents.policy import UNGATED
from entracte.cli.options import Options
from entracte.cli.runners.opening import network_reference, settings_of
from entracte.core.policy.checking import check_against
from entracte.core.policy.faults import Fault
from entracte.errors import ConfigurationError
from entracte.runtime.loading import network_of

_NO_MANIFEST = "No policy is given: every changing call waits for a person, and nothing can be undone."
_UNGATED = "No policy is given: nothing waits for a person, or can be undone."


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong, and what looks wrong, each in one line.

    Attributes:
        network: None when it cannot be built.
    """

    reference: str
    network: Network | None
    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def check(options: Options) -> Findings:
    """Build the network that the options name, and look at its policy.

    Raises:
        ConfigurationError: No network is named.
    """
    reference = network_reference(options)
    try:
        network = network_of(replace(settings_of(options), network=reference))
    except ConfigurationError as error:
        return Findings(reference, None, tuple(str(error).splitlines()))
    manifest = network.policy.manifest
    if manifest is None:
        return Findings(reference, network, (), (_UNGATED if network.policy == UNGATED else _NO_MANIFEST,))
    found = check_against(manifest, network.blueprint.tools, unasked=manifest.servers)
    return Findings(reference, network, tuple(map(str, found.faults)), tuple(map(_warning, found.warnings)))


def _warning(fault: Fault) -> str:
    place = f"{fault.file}:{fault.line}:{fault.column}: "
    return f"{place}warning: {str(fault).removeprefix(place)}"
