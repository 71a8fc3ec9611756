"""``entracte resume``: let a stalled run go on."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def resume(
    context: typer.Context,
    run: Annotated[str, typer.Argument(metavar="[RUN]", help="Id, or how it begins; the newest run by default.")] = "",
) -> None:
    """Let a stalled run go on: what nobody could bring forward is tried again. Nothing is done twice.

    Exit code: 0 answered; 1 failed, cancelled or stalled; 2 wrong usage or configuration; 3 waiting for a person.
    """
    from entracte.cli.runs.going_on import go_on

    raise typer.Exit(go_on(invocation(context), run, lambda runner, id: runner.resume(id)))
