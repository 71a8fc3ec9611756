"""``entracte fork``: begin a new run at a step of another one."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.commands.parameters import BaseUrl, Model, Run
from entracte.cli.invocation import invocation
from entracte.cli.runners.model_choice import ModelChoice


def fork(
    context: typer.Context,
    at: Annotated[int, typer.Option(min=1, metavar="STEP", help="Step of the root agent that it begins with.")],
    run: Run = "",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=TEXT", help="Change state before it begins; may be given several times."),
    ] = None,
    model: Model = "",
    base_url: BaseUrl = "",
) -> None:
    """Begin a new run at a step of another. It goes on in a copy of the session.

    Calls made before that step are not made again, and no gate of the old run approves anything. Undoing the fork takes
    back what the fork has done, and nothing else. A TEXT that is a JSON object or list changes items: '{"id": "F_001",
    "text": "…"}'; an empty text removes one.

    Exit code: 0 answered; 1 failed, cancelled or stalled; 2 wrong usage or configuration; 3 waiting for a person.
    """
    from entracte.cli.runs.going_on import go_on, read_changes

    state = read_changes(changes or ())
    code = go_on(
        invocation(context),
        run,
        lambda runner, id: runner.fork(id, at=at, state=state),
        choice=ModelChoice(model, base_url),
        is_new=True,
    )
    raise typer.Exit(code)
