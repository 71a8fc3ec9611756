"""Where a snippet stands in a text: exactly, or with more and more of what does not show left out of account.

Exactly, and with any line ending, a snippet may be a part of a line. When trailing blanks and indentation are left out
as well, only whole lines count: a few words without their surroundings would be found in too many places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice

from msgspec import Struct

from entracte.core.editing.edit import How
from entracte.core.editing.lines import line_at, lines_of, starts_of, with_endings

MAX_PLACES = 10
"""Places of one snippet that are looked for; more are too many all the same."""

Place = tuple[int, int]
"""Start and end of a snippet, as offsets."""


class Searched(Struct, frozen=True, dict=True):
    """A text that snippets are looked for in. What looking needs is worked out once for all of them."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        return lines_of(self.text)

    @cached_property
    def starts(self) -> list[int]:
        return starts_of(self.lines)

    def line(self, offset: int) -> int:
        """Line of an offset, from 1."""
        return line_at(self.starts, offset) + 1

    def places(self, snippet: str) -> tuple[How, list[Place]]:
        """The places by the strictest way that finds any, at most `MAX_PLACES` + 1 of them; none by any way."""
        if found := [place for place in _occurrences(self.text, snippet) if not self._cuts_an_ending(*place)]:
            return "exact", found
        if found := self._with_any_ending(snippet):
            return "line_endings", found
        if found := self._whole_lines(snippet, _without_trailing_blanks, self._trimmed):
            return "trailing_blanks", found
        return "indentation", self._whole_lines(snippet, str.strip, self._stripped)

    def lines_like(self, line: str) -> list[int]:
        """Numbers, from 1, of the first lines that have this content, blanks around it left out."""
        wanted = line.strip()
        alike = (number for number, line in enumerate(self.lines, 1) if line.strip() == wanted)
        return list(islice(alike, MAX_PLACES)) if wanted else []

    def _cuts_an_ending(self, start: int, end: int) -> bool:
        """Whether a place begins or ends between the two characters of a CRLF."""
        return "\r\n" in (self.text[max(0, start - 1) : start + 1], self.text[end - 1 : end + 1])

    @cached_property
    def _unified(self) -> str:
        return with_endings(self.text, "\n")

    @cached_property
    def _unified_starts(self) -> list[int]:
        return starts_of(lines_of(self._unified))

    @cached_property
    def _trimmed(self) -> _Keys:
        return _Keys([_without_trailing_blanks(line) for line in self.lines])

    @cached_property
    def _stripped(self) -> _Keys:
        return _Keys([line.strip() for line in self.lines])

    def _with_any_ending(self, snippet: str) -> list[Place]:
        wanted = with_endings(snippet, "\n")
        return [
            (self._offset(start), self._offset(start + len(wanted))) for start, _ in _occurrences(self._unified, wanted)
        ]

    def _offset(self, unified: int) -> int:
        """Offset in the text of one in the text with unified endings."""
        if unified == len(self._unified):
            return len(self.text)
        line = line_at(self._unified_starts, unified)
        return self.starts[line] + unified - self._unified_starts[line]

    def _whole_lines(self, snippet: str, key: Callable[[str], str], keys: _Keys) -> list[Place]:
        wanted = lines_of(snippet)
        ended = snippet.endswith(("\n", "\r"))
        return [
            (self.starts[first], self._end(first + len(wanted) - 1, ended=ended))
            for first in keys.find([key(line) for line in wanted])
        ]

    def _end(self, line: int, *, ended: bool) -> int:
        """End of a line, with its ending or without."""
        return self.starts[line] + (len(self.lines[line]) if ended else len(self.lines[line].rstrip("\r\n")))


class _Keys:
    """Lines by what counts of them, joined so that one search of a text finds a run of them."""

    def __init__(self, keys: list[str]) -> None:
        self._text = "\n" + "\n".join(keys) + "\n"
        self._starts = starts_of([key + "\n" for key in keys])

    def find(self, wanted: list[str]) -> Iterator[int]:
        """Indexes of the lines at which such a run begins. One of nothing but blank lines is nowhere."""
        if not any(wanted):
            return
        for start, _ in _occurrences(self._text, "\n" + "\n".join(wanted) + "\n"):
            yield line_at(self._starts, start)


def _occurrences(text: str, snippet: str) -> Iterator[Place]:
    """Places of a snippet, also such as lie over each other; one more than `MAX_PLACES` at most."""
    start = text.find(snippet) if snippet else -1
    for _ in range(MAX_PLACES + 1):
        if start < 0:
            return
        yield start, start + len(snippet)
        start = text.find(snippet, start + 1)


def _without_trailing_blanks(line: str) -> str:
    return line.rstrip()
