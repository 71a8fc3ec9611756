"""``entracte resume``: let a stalled run go on."""

from __future__ import annotations

import typer

from entracte.cli.commands.parameters import BaseUrl, Model, Run
from entracte.cli.invocation import invocation
from entracte.cli.runners.model_choice import ModelChoice


def resume(
    context: typer.Context,
    run: Run = "",
    model: Model = "",
    base_url: BaseUrl = "",
) -> None:
    """Let a stalled run go on. What nobody could bring forward is tried again; nothing is done twice.

    Exit code: 0 answered; 1 failed, cancelled or stalled; 2 wrong usage or configuration; 3 waiting for a person.
    """
    from entracte.cli.runs.going_on import go_on

    choice = ModelChoice(model, base_url)
    raise typer.Exit(go_on(invocation(context), run, lambda runner, id: runner.resume(id), choice=choice))
