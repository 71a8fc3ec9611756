"""One use of the command line: what was given, and where it is answered."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import typer
from msgspec import Struct

from entracte.cli.options import Options
from entracte.cli.terminal.screen import Screen


class Invocation(Struct, frozen=True):
    """What every command gets."""

    options: Options
    screen: Screen

    def command(self, words: str) -> str:
        """A command that can be typed as it is printed: it finds the same runs as this one."""
        where = ["--url", self.options.url] if self.options.url else []
        where += ["--store", self.options.store] if self.options.store and not self.options.url else []
        return " ".join([program(), words, *map(shlex.quote, where)])


def invocation(context: typer.Context) -> Invocation:
    """The invocation that a command belongs to."""
    found = context.obj
    assert isinstance(found, Invocation)
    return found


def program() -> str:
    """This program as it was called, or by name where the shell finds it by name."""
    called = sys.argv[0]
    if Path(called).name != "entracte":
        return f"{shlex.quote(sys.executable)} -m entracte.cli.main"
    found = shutil.which("entracte")
    if found is not None and Path(found).resolve() == Path(called).resolve():
        return "entracte"
    here, path = Path.cwd(), Path(called).absolute()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))
