"""A conversation at the keyboard, or from a file: one message a line, each a run of the same session."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

from msgspec.structs import replace

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.runners.runner import Runner
from entracte.cli.runs.ask_at_gates import ask_at_gates
from entracte.cli.runs.progress import Progress
from entracte.cli.runs.run_request import RunRequest
from entracte.cli.views.run_end import say_end
from entracte.cli.views.state_view import state_view
from entracte.errors import Conflict, EntracteError

_PROMPT = "> "


class Conversation:
    """Asks what it reads until there is no more to read."""

    def __init__(self, called: Invocation, runner: Runner, progress: Progress, request: RunRequest) -> None:
        self._called = called
        self._screen = called.screen
        self._runner = runner
        self._progress = progress
        self._request = request

    def hold(self) -> None:
        """Read and answer until /quit or the end of the input."""
        at_keyboard = sys.stdin.isatty() and not self._called.options.as_json
        if at_keyboard:
            import readline  # noqa: F401 - input() gets line editing and history by it

            self._screen.note("/state shows what has been noted, /new begins again, /quit leaves.")
        while (line := self._read(at_keyboard)) is not None:
            match line.strip():
                case "":
                    continue
                case "/quit" | "/exit":
                    return
                case "/new":
                    self._request = replace(self._request, session="")
                    self._screen.note("A new session begins.")
                case "/state":
                    self._show_state()
                case command if command.startswith("/"):
                    self._screen.note(f"There is no command {command.split()[0]}: /state, /new, /quit.")
                case message:
                    self._answer(message)

    def _read(self, at_keyboard: bool) -> str | None:
        """The next line; None at the end. Ctrl-C throws a half-written line away."""
        try:
            if not at_keyboard:
                return next(sys.stdin, None)
            with redirect_stdout(self._screen.out.file):  # line editing is for the terminal itself
                return input(_PROMPT)
        except EOFError:
            self._screen.err.print()
            return None
        except KeyboardInterrupt:
            if not at_keyboard:
                raise
            self._screen.note("\n/quit or Ctrl-D leaves.")
            return ""

    def _answer(self, message: str) -> None:
        """Ask, and say how it ended. What cannot be asked is said, and the conversation goes on."""
        run: Json | None = None
        try:
            with self._progress.following():
                run = self._runner.start(
                    message, agent=self._request.agent, session=self._request.session, route=self._request.route
                )
                self._request = replace(self._request, session=run["session"])
                run = self._wait(run["id"])
                self._progress.catch_up(run)
            run = ask_at_gates(self._called, self._runner, self._progress, run, wait=self._wait)
        except EntracteError as error:
            self._screen.fail(error.message, error.remedy)
            return
        say_end(self._called, self._runner, run, self._request.choice)
        if not self._called.options.as_json:
            self._screen.gap()

    def _wait(self, run: str) -> Json:
        """The run once it has ended or waits; Ctrl-C cancels it."""
        try:
            return self._runner.wait(run)
        except KeyboardInterrupt:
            try:
                return self._runner.cancel(run)
            except Conflict:  # it ended at the same moment
                return self._runner.wait(run)

    def _show_state(self) -> None:
        if not self._request.session:
            self._screen.note("Nothing has been said yet.")
            return
        try:
            state = self._runner.state(self._request.session)
        except EntracteError as error:
            self._screen.fail(error.message, error.remedy)
            return
        if self._called.options.as_json:
            self._screen.json(state)
        else:
            self._screen.print(*state_view(state))
