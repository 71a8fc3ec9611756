"""A runner for the length of a command, and what is said when somebody leaves it with Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from entracte.cli.failures import INTERRUPTED
from entracte.cli.invocation import Invocation
from entracte.cli.logs import retries_told
from entracte.cli.records.records import Json
from entracte.cli.runners.model_choice import NETWORKS_OWN, ModelChoice
from entracte.cli.runners.opening import open_runner
from entracte.cli.runners.runner import Runner
from entracte.cli.runs.progress import Progress


@contextmanager
def runner_open(
    called: Invocation, progress: Progress, *, choice: ModelChoice = NETWORKS_OWN, run: Json | None = None
) -> Iterator[Runner]:
    """A runner, which lets calls under way end before it is closed. What tools print is not the command's answer.

    Args:
        run: What it is opened to go on with.
    """
    on_event = None if called.options.as_json else progress.on_event
    with retries_told(progress.on_retry), redirect_stdout(sys.stderr):
        runner = open_runner(called.options, choice=choice, run=run, on_event=on_event)
        try:
            yield runner
        finally:
            try:
                runner.close()
            except KeyboardInterrupt:  # a second Ctrl-C: nothing is lost that a crash would not lose
                os._exit(INTERRUPTED)


def say_interrupted(called: Invocation, run: str) -> int:
    """Say where the run is found again; the exit code."""
    note = called.screen.note
    if not run:
        note("Interrupted before the run was started.", style="yellow")
        return INTERRUPTED
    if called.options.url:
        note(f"Interrupted. Run {run} goes on by itself.", style="yellow")
    else:
        note("Interrupted. Calls under way end first; Ctrl-C again leaves at once.", style="yellow")
        note(f"Run {run} is kept. It goes on when its network next runs with this store.", style="yellow")
    show, cancel = called.command(f"show {run[:8]}"), called.command(f"cancel {run[:8]}")
    note(f"{show} shows it, {cancel} ends it.", style="yellow")
    return INTERRUPTED
