"""``entracte check``: whether a network and its policy are fit to run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def check(
    context: typer.Context,
    manifest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check this policy manifest alone, without a network.")
    ] = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Write down what the servers of --manifest offer, so that no start has to ask."),
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of policy manifests, for editors; check nothing.")
    ] = False,
) -> None:
    """Check the network and its policy. Each fault is a line, with its place.

    The MCP servers of the manifest are started, and asked for their tools.

    Exit code: 0 nothing is wrong, though there may be warnings; 1 there are faults; 2 no network is named.
    """
    from entracte.cli.failures import FAILED
    from entracte.cli.runners.checking import check as check_network, check_manifest, write_down
    from entracte.cli.terminal.quantities import count
    from entracte.errors import InvalidInput

    called = invocation(context)
    if schema:
        from entracte.core.policy.text.schema import manifest_schema

        called.screen.json(manifest_schema())
        return
    if write and manifest is None:
        raise InvalidInput("--write needs --manifest.", remedy="Name the manifest whose servers are meant.")
    found = check_manifest(manifest) if manifest is not None else check_network(called.options)
    if manifest is not None and write:
        called.screen.note(f"What the servers offer is written down in {write_down(manifest, found)}.")
    if called.options.as_json:
        called.screen.json({"network": found.reference, "faults": found.faults, "warnings": found.warnings})
        raise typer.Exit(FAILED if found.faults else 0)
    called.screen.print(*found.faults, *found.warnings)
    told = f", {count(len(found.warnings), 'warning')}" if found.warnings else ""
    if found.faults:
        called.screen.fail(f"{found.reference}: {count(len(found.faults), 'fault')}{told}.")
        raise typer.Exit(FAILED)
    if found.network is not None:
        blueprint = found.network.blueprint
        has = ", ".join([count(len(blueprint.agents), "agent"), count(len(blueprint.tools), "tool")])
    else:
        servers, tools = len(found.listing), sum(map(len, found.listing.values()))
        has = ", ".join([count(servers, "server"), count(tools, "tool")])
    called.screen.note(f"{found.reference} is fit to run: {has}{told}.", style="green")
