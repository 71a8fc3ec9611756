"""``entracte run``: ask a network once, watch it work, get the answer."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from entracte.cli.commands.parameters import Agent, BaseUrl, Model, Route, Session
from entracte.cli.invocation import invocation
from entracte.cli.runners.model_choice import ModelChoice
from entracte.cli.runs.run_request import RunRequest


def run(
    context: typer.Context,
    message: Annotated[str, typer.Argument(metavar="MSG", help="What is asked; - reads it from standard input.")],
    session: Session = "",
    agent: Agent = "",
    route: Route = "",
    model: Model = "",
    base_url: BaseUrl = "",
    detach: Annotated[bool, typer.Option("--detach", help="Print the run's id and let it go on by itself.")] = False,
    in_background: Annotated[bool, typer.Option("--in-background", hidden=True)] = False,
) -> None:
    """Ask a network once, and watch it work.

    The answer goes to standard output, everything about it to standard error. Exit code: 0 answered; 1 failed,
    cancelled or stalled; 2 wrong usage or configuration; 3 waiting for a person.
    """
    from entracte.cli.runs.detaching import detach_here, go_on_alone, leave_behind
    from entracte.cli.runs.run_once import run_once

    called = invocation(context)
    text = sys.stdin.read() if message == "-" else message
    request = RunRequest(message=text, session=session, agent=agent, route=route, choice=ModelChoice(model, base_url))
    if in_background:
        go_on_alone(called, request)
    elif detach:
        leave_behind(called, request) if called.options.url else detach_here(called, request)
    else:
        raise typer.Exit(run_once(called, request))
