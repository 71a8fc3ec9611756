"""``entracte retry``: make the move again that a failed run ended at."""

from __future__ import annotations

import typer

from entracte.cli.commands.parameters import BaseUrl, Model, Run
from entracte.cli.invocation import invocation
from entracte.cli.runners.model_choice import ModelChoice


def retry(
    context: typer.Context,
    run: Run = "",
    model: Model = "",
    base_url: BaseUrl = "",
) -> None:
    """Try a failed run's last move again. What its calls and sub-agents have done stays done.

    Exit code: 0 answered; 1 failed, cancelled or stalled; 2 wrong usage or configuration; 3 waiting for a person.
    """
    from entracte.cli.runs.going_on import go_on

    choice = ModelChoice(model, base_url)
    raise typer.Exit(go_on(invocation(context), run, lambda runner, id: runner.retry(id), choice=choice))
