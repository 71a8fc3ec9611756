"""``entracte chat``: talk to a network, one run a message, all in one session."""

from __future__ import annotations

import typer

from entracte.cli.commands.parameters import Agent, BaseUrl, Model, Route, Session
from entracte.cli.invocation import invocation
from entracte.cli.runners.model_choice import ModelChoice
from entracte.cli.runs.run_request import RunRequest


def chat(
    context: typer.Context,
    session: Session = "",
    agent: Agent = "",
    route: Route = "",
    model: Model = "",
    base_url: BaseUrl = "",
) -> None:
    """Talk to a network. /state shows what it has noted down, /new begins again, /quit or Ctrl-D leaves.

    Ctrl-C cancels what is being answered. With --json, each answer is a run on a line of its own.
    """
    from entracte.cli.runs.command_runner import runner_open
    from entracte.cli.runs.conversation import Conversation
    from entracte.cli.runs.progress import progress_of

    called = invocation(context)
    request = RunRequest(session=session, agent=agent, route=route, choice=ModelChoice(model, base_url))
    progress = progress_of(called)
    with runner_open(called, progress, choice=request.choice) as runner:
        Conversation(called, runner, progress, request).hold()
