"""``entracte check``: whether a network and its policy are fit to run."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def check(
    context: typer.Context,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of policy manifests, for editors; check nothing.")
    ] = False,
) -> None:
    """Check the network and its policy. Every fault is a line that begins with file:line:column.

    Exit code: 0 nothing is wrong, though there may be warnings; 1 there are faults; 2 no network is named.
    """
    from entracte.cli.failures import FAILED
    from entracte.cli.runners.checking import check as check_network
    from entracte.cli.terminal.quantities import count

    called = invocation(context)
    if schema:
        from entracte.core.policy.schema import manifest_schema

        called.screen.json(manifest_schema())
        return
    found = check_network(called.options)
    if called.options.as_json:
        called.screen.json({"network": found.reference, "faults": found.faults, "warnings": found.warnings})
        raise typer.Exit(FAILED if found.faults else 0)
    called.screen.print(*found.faults, *found.warnings)
    told = f", {count(len(found.warnings), 'warning')}" if found.warnings else ""
    if found.faults:
        called.screen.fail(f"{found.reference}: {count(len(found.faults), 'fault')}{told}.")
        raise typer.Exit(FAILED)
    assert found.network is not None
    blueprint = found.network.blueprint
    has = ", ".join([count(len(blueprint.agents), "agent"), count(len(blueprint.tools), "tool")])
    called.screen.note(f"{found.reference} is fit to run: {has}{told}.", style="green")
