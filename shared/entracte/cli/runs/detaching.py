"""Runs that go on after the command has ended: behind an API by themselves, here in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import typer

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.runners.opening import is_kept
from entracte.cli.runs.command_runner import runner_open
from entracte.cli.runs.progress import NoProgress
from entracte.cli.runs.run_request import RunRequest
from entracte.errors import ConfigurationError


def leave_behind(called: Invocation, request: RunRequest) -> None:
    """Start a run behind an API and leave it there."""
    with runner_open(called, NoProgress(called.screen), choice=request.choice) as runner:
        _say_started(
            called, runner.start(request.message, agent=request.agent, session=request.session, route=request.route)
        )


def detach_here(called: Invocation, request: RunRequest) -> None:
    """Have another process start the run and stay with it, and return once it has said that it did."""
    if not is_kept(called.options):
        raise ConfigurationError(
            "A run with --store memory cannot be detached.", remedy="Name a file that outlives this command."
        )
    command = [sys.executable, "-m", "entracte.cli.main", *called.options.words(), "run", "--in-background"]
    given = {
        "session": request.session,
        "agent": request.agent,
        "route": request.route,
        "model": request.choice.model,
        "base-url": request.choice.base_url,
    }
    command += [f"--{name}={value}" for name, value in given.items() if value]
    # A session of its own: Ctrl-C and the end of the terminal are not meant for it.
    child = subprocess.Popen(
        [*command, "--", request.message], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    started = child.stdout.readline()
    if not started:  # it has said why on standard error, which is ours
        raise typer.Exit(child.wait())
    _say_started(called, json.loads(started))


def go_on_alone(called: Invocation, request: RunRequest) -> None:
    """The other process: start the run, say so, let go of the terminal, and stay until the run ends or waits."""
    with runner_open(called, NoProgress(called.screen), choice=request.choice) as runner:
        run = runner.start(request.message, agent=request.agent, session=request.session, route=request.route)
        called.screen.json(run)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        runner.wait(run["id"])


def _say_started(called: Invocation, run: Json) -> None:
    if called.options.as_json:
        called.screen.json(run)
    else:
        called.screen.print(run["id"])
        called.screen.note(f"It goes on in the background: {called.command('show ' + run['id'][:8])}")
