"""``entracte dev``: the whole product on this machine, from a checkout."""

from __future__ import annotations

import sys

import typer

from entracte.cli.invocation import invocation


def dev(context: typer.Context) -> None:
    """Run the whole product on this machine. It needs a checkout; entracte dev --help says what can be given."""
    from entracte.cli.scaffold.checkout import checkout

    sys.path.insert(0, str(checkout("entracte dev") / "infra"))
    import stack

    network = invocation(context).options.network
    raise typer.Exit(stack.main([*context.args, *(["--network", network] if network else [])]))
