"""Asking a network once, to the end."""

from __future__ import annotations

from entracte.cli.closing import exit_code_of, say_end
from entracte.cli.invocation import Invocation
from entracte.cli.progress import progress_of
from entracte.cli.prompting import ask_at_gates
from entracte.cli.question import Question
from entracte.cli.running import runner_open, say_interrupted


def run_once(called: Invocation, question: Question) -> int:
    """Ask, show what happens, say how it ended; the exit code."""
    progress = progress_of(called)
    with runner_open(called, progress, choice=question.choice) as runner:
        started = ""
        try:
            with progress.following():
                started = runner.start(question.message, agent=question.agent, session=question.session)["id"]
                run = runner.wait(started)
                progress.catch_up(run)
            run = ask_at_gates(called, runner, progress, run)
        except KeyboardInterrupt:
            return say_interrupted(called, started)
        say_end(called, runner, run, question.choice)
        return exit_code_of(run)
