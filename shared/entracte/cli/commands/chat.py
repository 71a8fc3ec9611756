"""``entracte chat``: talk to a network, one run a message, all in one session."""

from __future__ import annotations

import typer

from entracte.cli.commands.run import Agent, BaseUrl, Model, Session
from entracte.cli.invocation import invocation
from entracte.cli.model_choice import ModelChoice
from entracte.cli.question import Question


def chat(
    context: typer.Context, session: Session = "", agent: Agent = "", model: Model = "", base_url: BaseUrl = ""
) -> None:
    """Talk to a network. /state shows what it has noted down, /new begins again, /quit or Ctrl-D leaves.

    Ctrl-C cancels what is being answered. With --json, each answer is a run on a line of its own.
    """
    from entracte.cli.conversation import Conversation
    from entracte.cli.progress import progress_of
    from entracte.cli.running import runner_open

    called = invocation(context)
    question = Question(session=session, agent=agent, choice=ModelChoice(model, base_url))
    progress = progress_of(called)
    with runner_open(called, progress, choice=question.choice) as runner:
        Conversation(called, runner, progress, question).hold()
