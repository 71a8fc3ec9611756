"""Asking a network once, to the end."""

from __future__ import annotations

from entracte.cli.invocation import Invocation
from entracte.cli.runs.ask_at_gates import ask_at_gates
from entracte.cli.runs.command_runner import runner_open, say_interrupted
from entracte.cli.runs.progress import progress_of
from entracte.cli.runs.run_request import RunRequest
from entracte.cli.views.run_end import exit_code_of, say_end


def run_once(called: Invocation, request: RunRequest) -> int:
    """Ask, show what happens, say how it ended; the exit code."""
    progress = progress_of(called)
    with runner_open(called, progress, choice=request.choice) as runner:
        started = ""
        try:
            with progress.following():
                started = runner.start(
                    request.message, agent=request.agent, session=request.session, route=request.route
                )["id"]
                run = runner.wait(started)
                progress.catch_up(run)
            run = ask_at_gates(called, runner, progress, run)
        except KeyboardInterrupt:
            return say_interrupted(called, started)
        say_end(called, runner, run, request.choice)
        return exit_code_of(run)
