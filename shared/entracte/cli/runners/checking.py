"""Checking a network and its policy before anything runs under them, with the servers as they are now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from entracte.adapters.models.registry import open_model
from entracte.agents.network import Network
from entracte.agents.policy import UNGATED
from entracte.cli.options import Options
from entracte.cli.runners.asking import read_text, write_listed, written_listing
from entracte.cli.runners.opening import network_reference, settings_of
from entracte.core.asking.roles import allowed_models
from entracte.core.policy.checking import check_against
from entracte.core.policy.faults import Fault, Problem
from entracte.core.policy.listing import Listing, served_tools
from entracte.core.policy.manifest import Manifest
from entracte.core.policy.reading import read_manifest
from entracte.core.tool_spec import ToolSpec
from entracte.errors import ConfigurationError
from entracte.runtime.asking_servers import ask_servers
from entracte.runtime.loading import network_of
from entracte.runtime.models import cloud_of
from entracte.runtime.settings import Settings, read_settings

_NO_MANIFEST = "No policy is given: every changing call waits for a person, and nothing can be undone."
_UNGATED = "No policy is given: nothing waits for a person, or can be undone."


class Findings(Struct, frozen=True):
    """What is wrong, and what looks wrong, each in one line.

    Attributes:
        reference: What was checked: a network, or a manifest's file.
        network: None when it cannot be built, or none was checked.
        listing: What the manifest's servers offer now.
    """

    reference: str
    network: Network | None
    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    listing: Listing = {}


def check(options: Options) -> Findings:
    """Build the network that the options name, and look at its policy.

    Raises:
        ConfigurationError: No network is named.
    """
    reference = network_reference(options)
    settings = replace(settings_of(options), network=reference)
    try:
        network = network_of(settings)
    except ConfigurationError as error:
        return Findings(reference, None, tuple(str(error).splitlines()))
    faults = tuple(_faults_of_models(network, settings))
    manifest = network.policy.manifest
    if manifest is None:
        return Findings(reference, network, faults, (_UNGATED if network.policy == UNGATED else _NO_MANIFEST,))
    own = {name: tool for name, tool in network.blueprint.tools.items() if name in network.functions}
    found = _checked(reference, manifest, own, network.policy.listing)
    return replace(found, network=network, faults=(*faults, *found.faults))


def _faults_of_models(network: Network, settings: Settings) -> Iterator[str]:
    """Names that are no model's, and scripts that cannot be read. No model is asked anything."""
    for name in sorted(allowed_models(network.blueprint)):
        base_url = network.model_options[name].base_url if name in network.model_options else ""
        try:
            open_model(name, base_url=base_url, api_key=str, cloud=cloud_of(settings))
        except ConfigurationError as error:
            yield str(error)


def check_manifest(path: Path) -> Findings:
    """Look at a manifest by itself: the tools of its servers; those in process are not known.

    Raises:
        ConfigurationError: There is no such file, or it cannot be understood.
    """
    text = read_text(path)
    if text is None:
        raise ConfigurationError(f"There is no manifest {path}.", remedy="Write one: entracte init SERVER -- COMMAND…")
    manifest = read_manifest(text, file=str(path), variables=read_settings().variables)
    return _checked(str(path), manifest, None, written_listing(path))


def write_down(path: Path, found: Findings) -> Path:
    """Write down what a manifest's servers offer; the file's name."""
    return write_listed(path, found.listing)


def _checked(reference: str, manifest: Manifest, own: Mapping[str, ToolSpec] | None, written: Listing) -> Findings:
    """A manifest against the servers as they are.

    Args:
        own: Tools in process; None when they are not known.
    """
    listing, unreachable = ask_servers(manifest.servers)
    tools = {**(own or {}), **{tool.name: manifest_tool(manifest, tool) for tool in served_tools(listing)}}
    unasked = [*unreachable, *([""] if own is None else [])]
    found = check_against(manifest, tools, unasked=unasked)
    gone = [manifest.source.fault(_unreachable(name, why)) for name, why in unreachable.items()]
    changed = tuple(_changes(written, listing))
    return Findings(
        reference,
        None,
        (*map(str, gone), *map(str, found.faults)),
        (*map(_warning, found.warnings), *changed),
        {**written, **listing},
    )


def manifest_tool(manifest: Manifest, tool: ToolSpec) -> ToolSpec:
    """A server's tool with the effect that the manifest gives it."""
    return replace(tool, effect="readonly" if manifest.rule_for(tool.name).is_readonly else "changing")


def _unreachable(server: str, why: str) -> Problem:
    return Problem(
        path=("servers", server),
        what=f"servers.{server} cannot be asked",
        expected="a server that lists its tools",
        found=" ".join(why.split()),
    )


def _changes(written: Listing, listing: Listing) -> Iterator[str]:
    """How the servers differ from what was written down of them."""
    for server in listing:
        if server not in written:
            continue
        before, now = ({str(t.get("name")): t for t in tools} for tools in (written[server], listing[server]))
        said = {
            "new": sorted(now.keys() - before.keys()),
            "gone": sorted(before.keys() - now.keys()),
            "changed": sorted(name for name in before.keys() & now.keys() if before[name] != now[name]),
        }
        if told := "; ".join(f"{what}: {', '.join(names)}" for what, names in said.items() if names):
            yield f"warning: server {server} offers other tools than were written down. {told[:1].upper()}{told[1:]}."


def _warning(fault: Fault) -> str:
    place = f"{fault.file}:{fault.line}:{fault.column}: "
    return f"{place}warning: {str(fault).removeprefix(place)}"
