"""The command line: parses, runs one command, and turns errors into two lines and an exit code."""

from __future__ import annotations

import os
import sys
import traceback

import typer

from entracte.cli.failures import FAILED, INTERRUPTED, failure_of
from entracte.cli.invocation import program
from entracte.cli.logs import is_debugging
from entracte.cli.options import refuse_empty, shared_first
from entracte.cli.terminal.screen import Screen


def run(words: list[str]) -> int:
    """Run the command that the words name; gives the exit code."""
    try:
        from entracte.cli.app import app  # a package that is missing is told as any other error

        refuse_empty(words)
        return app(args=shared_first(words), prog_name=program(), standalone_mode=False) or 0
    except typer.TyperException as error:
        return _usage(error)
    except typer.Abort:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `entracte journal | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last line of defence: nobody is shown a bare traceback
        return _failed(error)


def _usage(error: typer.TyperException) -> int:
    """A mistyped command or option; or no arguments at all, whose message is the help."""
    screen = Screen()
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        screen.print(error.format_message())
    else:
        command = context.command_path if context is not None else program()
        screen.fail(error.format_message(), f"{command} --help says what can be given.")
    return error.exit_code


def _failed(error: Exception) -> int:
    failure, screen = failure_of(error), Screen()
    if is_debugging():
        screen.note("".join(traceback.format_exception(error)))
    screen.fail(failure.message, failure.remedy)
    return failure.exit_code
