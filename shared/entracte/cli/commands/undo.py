"""``entracte undo``: take a run's changes back."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.commands.parameters import Run
from entracte.cli.invocation import invocation


def undo(
    context: typer.Context,
    run: Run = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and write nothing.")] = False,
    to: Annotated[
        str, typer.Option(metavar="ACTION", help="Call at which it ends, inclusive, as the dry run names it.")
    ] = "",
    replan: Annotated[bool, typer.Option("--replan", help="Work inverse calls out anew, by today's policy.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Take a run's changes back, newest first. A run that has not ended is cancelled before.

    Each record is compared first: what somebody has changed since is left as it is, and the undo stops there.

    Exit code: 0 all is undone; 1 it stopped, or a part is permanent or kept; 2 wrong usage or configuration. A dry run
    has the exit code that the undo would have.
    """
    from entracte.cli.undo import taking_back

    called = invocation(context)
    extent = taking_back.Extent(to=to, replan=replan)
    if dry_run:
        raise typer.Exit(taking_back.dry_run(called, run, extent))
    raise typer.Exit(taking_back.undo_run(called, run, extent, yes=yes))
