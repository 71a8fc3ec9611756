"""``entracte chat``: talk to a network, one run a message, all in one session."""

from __future__ import annotations

import typer

from entracte.cli.commands.run import Agent, BaseUrl, Model, Session
from entracte.cli.invocation import invocation
from entracte.cli.question import Question


def chat(
    context: typer.Context, session: Session = "", agent: Agent = "", model: Model = "", base_url: BaseUrl = ""
) -> None:
    """Talk to a network. /state shows what it has noted down, /new begins again, /quit or Ctrl-D leaves.

    Ctrl-C cancels what is being answered. With --json, each answer is a run on a line of its own.
    """
    from entracte.cli.asking import runner_open
    from entracte.cli.conversation import Conversation
    from entracte.cli.progress import Progress

    called = invocation(context)
    question = Question(session=session, agent=agent, model=model, base_url=base_url)
    progress = Progress(called.screen)
    with runner_open(called, question, None if called.options.as_json else progress) as runner:
        Conversation(called, runner, progress, question).hold()
