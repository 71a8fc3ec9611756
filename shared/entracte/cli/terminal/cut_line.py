"""A line that is cut before its end, so that its last words are always seen."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from rich.console import Console, ConsoleOptions
from rich.text import Text

_SHORTEST = 10


class CutLine(Struct, frozen=True):
    """A text that may be shortened, and one behind it that may not."""

    text: Text
    end: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        text = self.text.copy()
        text.truncate(max(_SHORTEST, options.max_width - self.end.cell_len), overflow="ellipsis")
        line = text + self.end
        line.no_wrap, line.overflow = True, "ellipsis"
        yield line
