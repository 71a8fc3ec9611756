"""``entracte proxy``: the undo layer between a desktop client and its MCP servers."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def proxy(
    context: typer.Context,
    manifest: Annotated[
        str, typer.Option(metavar="FILE", help="Policy manifest (else policy.yaml, here or in a folder above).")
    ] = "",
) -> None:
    """Serve MCP servers to one client, with undo. It speaks on standard input and output.

    Calls are recorded, held where the policy says so, and can be taken back. The log goes to standard error as JSON.
    The store is the one named, else the nearest .entracte/ in a folder above, else a new one beside the manifest.
    """
    import shlex

    from msgspec.structs import replace

    from entracte.cli.invocation import program
    from entracte.cli.runners.opening import settings_of
    from entracte.gateway.stdio import serve_stdio
    from entracte.runtime.local.embedded_manifest import open_manifest, store_of
    from entracte.runtime.local.manifest_network import find_manifest
    from entracte.runtime.log import set_up_logs

    settings = settings_of(invocation(context).options)
    set_up_logs(structured=True)
    path = find_manifest(manifest)
    store = store_of(path, settings)
    embedded = open_manifest(path, replace(settings, store=str(store)))
    serve_stdio(embedded, lambda words: f"{program()} {words} --store {shlex.quote(str(store))}")
