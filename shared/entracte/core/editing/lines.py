"""A text as lines. Only LF, CRLF and CR end one: what `str.splitlines` takes besides, such as U+2028, is content."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ENDING = re.compile(r"\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """The lines, each with its ending; the last may have none. An empty text has no line."""
    return _LINE.findall(text)


def starts_of(lines: list[str]) -> list[int]:
    """Offset at which each line begins, and the length of the text."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def line_at(starts: list[int], offset: int) -> int:
    """Index of the line that an offset lies on; the last line's for the end of the text.

    Args:
        starts: As `starts_of` gives them.
    """
    return max(0, min(bisect_right(starts, offset) - 1, len(starts) - 2))


def ending_of(line: str) -> str:
    """How a line ends: LF, CRLF, CR or not at all."""
    found = _ENDING.search(line)
    return found[0] if found is not None else ""


def with_endings(text: str, ending: str) -> str:
    """The text with every line ending of that kind."""
    return _ENDING.sub(lambda _: ending, text)
