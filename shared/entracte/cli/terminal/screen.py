"""Standard output and standard error. What was asked for goes to the first, everything about it to the second."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from entracte.cli.terminal.hanging import Hanging
from entracte.cli.terminal.plain_text import json_text, one_line, plain

PIPE_WIDTH = 160
"""Columns of a table that goes into a file or pipe."""


class _PlainConsole(Console):
    """A console through which no control character gets that is not rich's own, whoever forgot to take it out."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


class Screen:
    """Both streams. Colours and a moving last line only on a terminal; markup is never read from text."""

    def __init__(self) -> None:
        self.out = _console(sys.stdout)
        self.err = _console(sys.stderr)

    def print(self, *parts: RenderableType) -> None:
        """What was asked for."""
        for part in parts:
            self.out.print(part, soft_wrap=isinstance(part, str | Text | Hanging))

    def lines(self, lines: Iterable[Text]) -> None:
        """Lines of what was asked for, each cut at the edge of a terminal."""
        for line in lines:
            if self.out.is_terminal:
                line.truncate(self.out.width, overflow="ellipsis")
            self.out.print(line, soft_wrap=True)

    def note(self, text: str | Text, *, style: str = "dim") -> None:
        """Something about what was asked for."""
        self.err.print(text, style=style, soft_wrap=True)

    def gap(self) -> None:
        """An empty line between the two, where both are read by a person."""
        if self.err.is_terminal:
            self.err.print()

    def json(self, value: Any) -> None:
        """One JSON value on a line of its own."""
        self.out.file.write(json_text(value) + "\n")
        self.out.file.flush()

    def fail(self, message: str, remedy: str = "") -> None:
        """What went wrong, and what to do about it: two lines, or more where each line names a fault."""
        first, *others = message.splitlines() or [""]
        self.err.print(Text.assemble(("error: ", "bold red"), one_line(first)), soft_wrap=True)
        for line in (*others, *([remedy] if remedy else [])):
            self.err.print(f"  {one_line(line)}", soft_wrap=True)


def _console(stream: IO[str]) -> Console:
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets the rest
    width = None if stream.isatty() else PIPE_WIDTH
    return _PlainConsole(file=stream, markup=False, highlight=False, emoji=False, width=width)
