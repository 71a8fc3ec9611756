"""Letting a run go on that has stopped, or a new one begin at a step of it, and following it to its end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from entracte.cli.invocation import Invocation
from entracte.cli.records.finding import find_run
from entracte.cli.records.records import Json
from entracte.cli.runners.model_choice import NETWORKS_OWN, ModelChoice
from entracte.cli.runners.opening import open_records
from entracte.cli.runners.runner import Runner
from entracte.cli.runs.ask_at_gates import ask_at_gates
from entracte.cli.runs.command_runner import runner_open, say_interrupted
from entracte.cli.runs.progress import progress_of
from entracte.cli.views.run_end import exit_code_of, say_end
from entracte.errors import InvalidInput

Begin = Callable[[Runner, str], Json]
"""Sets a run going; gives the run to follow."""


def go_on(
    called: Invocation, reference: str, begin: Begin, *, choice: ModelChoice = NETWORKS_OWN, is_new: bool = False
) -> int:
    """Set a run going and follow it; the exit code.

    Args:
        choice: Model that it goes on with.
        is_new: It is another run than the one named.
    """
    with open_records(called.options) as records:
        run = find_run(called, records, reference)
    progress = progress_of(called)
    with runner_open(called, progress, choice=choice, run=run) as runner:
        followed = "" if is_new else run["id"]
        try:
            with progress.following(followed):
                followed = begin(runner, run["id"])["id"]
                run = runner.wait(followed)
                progress.catch_up(run)
            run = ask_at_gates(called, runner, progress, run)
        except KeyboardInterrupt:
            return say_interrupted(called, followed)
        say_end(called, runner, run, choice)
        return exit_code_of(run)


def read_changes(given: Iterable[str]) -> dict[str, Any]:
    """A state diff from ``KEY=TEXT`` and ``KEY=JSON``.

    Raises:
        InvalidInput: One of them has no ``=``.
    """
    diff: dict[str, list[Any]] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InvalidInput(f"--set {text!r} names no key.", remedy='Write it as --set facts="Ada is on Pro."')
        entry = _json_or_text(value)
        diff.setdefault(key.strip(), []).extend(entry if isinstance(entry, list) else [entry])
    return diff


def _json_or_text(value: str) -> Any:
    """An item as JSON, ``{"id": …, "text": …}``, or a list; anything else is text."""
    try:
        read = json.loads(value)
    except ValueError:
        return value
    return read if isinstance(read, (dict, list)) else value
