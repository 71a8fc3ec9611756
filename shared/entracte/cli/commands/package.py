"""``entracte package``: the source zips of a network's functions, for a deployment."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def package(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Network shared/NAME; else that of --network.")] = "",
) -> None:
    """Make the functions' source zips, in dist/NAME. That is what terraform apply deploys.

    It needs a checkout. The same sources give the same bytes, so that what has not changed is not deployed again.
    """
    from entracte.cli.scaffold.checkout import checkout
    from entracte.errors import InvalidInput

    called = invocation(context)
    network = f"{name}:network" if name and ":" not in name else name or called.options.network
    package = network.partition(":")[0].partition(".")[0]
    if not package.isidentifier():
        words = f"{network!r} names no network." if network else "No network is named."
        raise InvalidInput(words, remedy="entracte package NAME, for the network shared/NAME")
    root = checkout("entracte package")
    sys.path.insert(0, str(root / "infra"))  # the program that makes them is infra's, and no part of the runtime
    import bundle

    folder = root / "dist" / package
    raise typer.Exit(bundle.main(["--network", network, "--to", str(folder)]))
