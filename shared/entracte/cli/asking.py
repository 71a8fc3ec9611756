"""Asking a network once, to the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from entracte.cli.closing import exit_code_of, say_end
from entracte.cli.failures import INTERRUPTED
from entracte.cli.invocation import Invocation
from entracte.cli.logs import retries_told
from entracte.cli.opening import open_runner
from entracte.cli.progress import Progress
from entracte.cli.question import Question
from entracte.cli.runner import Runner


def run_once(called: Invocation, question: Question) -> int:
    """Ask, show what happens, say how it ended; the exit code."""
    as_json = called.options.as_json
    progress = Progress(called.screen)
    with runner_open(called, question, None if as_json else progress) as runner:
        started = ""
        try:
            with nullcontext() if as_json else progress.following():
                started = runner.start(question.message, agent=question.agent, session=question.session)["id"]
                run = runner.wait(started)
                if not as_json:
                    progress.catch_up(run)
        except KeyboardInterrupt:
            _say_interrupted(called, started)
            return INTERRUPTED
        if as_json:
            called.screen.json(run)
        else:
            say_end(called, run, runner.tally(started))
        return exit_code_of(run)


@contextmanager
def runner_open(called: Invocation, question: Question, progress: Progress | None) -> Iterator[Runner]:
    """A runner for the question's model, which lets calls under way end before it is closed."""
    on_event = progress.on_event if progress is not None else None
    with retries_told(progress.on_retry) if progress is not None else nullcontext():
        runner = open_runner(called.options, model=question.model, base_url=question.base_url, on_event=on_event)
        try:
            yield runner
        finally:
            try:
                runner.close()
            except KeyboardInterrupt:  # a second Ctrl-C: nothing is lost that a crash would not lose
                os._exit(INTERRUPTED)


def _say_interrupted(called: Invocation, run: str) -> None:
    if not run:
        called.screen.note("Interrupted before the run was started.", style="yellow")
        return
    if called.options.url:
        called.screen.note(f"Interrupted. Run {run} goes on by itself.", style="yellow")
    else:
        called.screen.note("Interrupted. Calls under way end first; Ctrl-C again leaves at once.", style="yellow")
        called.screen.note(f"Run {run} is kept. It goes on when a run is next made with this store.", style="yellow")
    short = run[:8]
    called.screen.note(
        f"{called.command(f'show {short}')} shows it, {called.command(f'cancel {short}')} ends it.", style="yellow"
    )
