"""``entracte watch``: look at a run while others bring it forward."""

from __future__ import annotations

import typer

from entracte.cli.commands.parameters import Run
from entracte.cli.invocation import invocation


def watch(
    context: typer.Context,
    run: Run = "",
) -> None:
    """Watch a run until it ends. Its calls and what waits for a person; in a pipe or as JSON, once.

    Ctrl-C leaves the run as it is. Exit codes are those of entracte run.
    """
    from entracte.cli.runs.watching import watch_run

    raise typer.Exit(watch_run(invocation(context), run))
