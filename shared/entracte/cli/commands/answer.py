"""``entracte answer``: answer what an agent asks, or say what is known of a call in doubt."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.commands.approve import By, Reason, checked
from entracte.cli.commands.parameters import BaseUrl, Model
from entracte.cli.invocation import invocation
from entracte.cli.runners.gate_decision import Decision
from entracte.cli.runners.model_choice import ModelChoice


def answer(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GATE] TEXT",
            help="Gate as for approve. Then the answer; for a call in doubt: happened, retry or give_up.",
        ),
    ],
    by: By = "",
    reason: Reason = "",
    model: Model = "",
    base_url: BaseUrl = "",
) -> None:
    """Answer a question or a call in doubt. It stays until the run ends or waits again.

    At the keyboard, an answer that is not given is asked for. Exit codes are those of entracte run.
    """
    from entracte.cli.gates.answer_gate import answer_one

    called = invocation(context)
    decision = checked(called, Decision(word="", by=by, reason=reason))
    raise typer.Exit(answer_one(called, words, decision, ModelChoice(model, base_url)))
