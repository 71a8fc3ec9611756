"""A label and a text beside it, whose further lines are indented to stand below its first."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from rich.console import Console, ConsoleOptions
from rich.text import Text

_NARROWEST = 20


class Hanging(Struct, frozen=True):
    """Wrapped at words on a terminal; elsewhere a line stays a line, however long it is."""

    label: Text
    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        indent = self.label.cell_len
        lines = list(self.text.split("\n", allow_blank=True))
        if console.is_terminal:
            width = max(_NARROWEST, options.max_width - indent)
            lines = [part for line in lines for part in (line.wrap(console, width) or [line])]
        for index, line in enumerate(lines):
            yield (Text(" " * indent) if index else self.label) + line
