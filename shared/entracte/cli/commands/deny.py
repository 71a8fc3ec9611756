"""``entracte deny``: refuse a call that waits for a person."""

from __future__ import annotations

import typer

from entracte.cli.commands.approve import All, By, Gate, OfRun, Reason, decide
from entracte.cli.commands.parameters import BaseUrl, Model
from entracte.cli.invocation import invocation
from entracte.cli.runners.gate_decision import Decision
from entracte.cli.runners.model_choice import ModelChoice


def deny(
    context: typer.Context,
    gate: Gate = "",
    all_: All = False,
    run: OfRun = "",
    by: By = "",
    reason: Reason = "",
    model: Model = "",
    base_url: BaseUrl = "",
) -> None:
    """Refuse a call, and watch its run go on. The agent is told, and plans on.

    Exit codes are those of entracte run. A refused decision is exit code 1, and says who decided what.
    """
    decision = Decision(word="deny", by=by, reason=reason)
    raise typer.Exit(decide(invocation(context), gate, decision, ModelChoice(model, base_url), all_=all_, of_run=run))
