"""The network of a manifest alone: the tools of its servers under its policy, and nobody who could be asked."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from entracte.agents.agent import Agent
from entracte.agents.models import Models
from entracte.agents.network import Network
from entracte.agents.policy import read_policy
from entracte.core.policy.listing import Listing
from entracte.core.policy.policy import Policy
from entracte.errors import ConfigurationError
from entracte.runtime.loading import PREFIX

FILE = "policy.yaml"


def find_manifest(named: str, start: Path | None = None) -> Path:
    """The manifest: the one named, else the nearest ``policy.yaml`` in the current folder or one above it.

    Raises:
        ConfigurationError: There is none.
    """
    here = start or Path.cwd()
    if named:
        return (here / named).resolve()
    for folder in (here, *here.parents):
        if (folder / FILE).is_file():
            return (folder / FILE).resolve()
    raise ConfigurationError(
        f"There is no {FILE} in {here} or above it.",
        remedy="Go to the folder that has it, name it with --manifest, or write one: entracte init.",
    )


def manifest_network(policy: Policy, path: Path) -> Network:
    """The network of a policy that was read from that file."""
    nobody = Agent(name="nobody", prompt="Nobody is asked.")
    return Network(entry=nobody, models=Models(main="none/none"), policy=policy, name=f"{PREFIX}{path}")


def read_manifest_policy(path: Path, listing: Listing | None = None) -> Policy:
    """The policy of a manifest.

    Args:
        listing: What its servers offer, as they were just asked; else as it was written down, if it was.

    Raises:
        ConfigurationError: The file cannot be read or understood.
    """
    policy = read_policy(str(path))
    return policy if listing is None else replace(policy, listing=listing)
