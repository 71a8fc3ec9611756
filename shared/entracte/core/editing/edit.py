"""One edit, and what became of it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

How = Literal["exact", "line_endings", "trailing_blanks", "indentation"]
"""What had to be left out of account to find a snippet's place, from nothing to the most."""


class Edit(Struct, frozen=True):
    """Replace a snippet, which stands in the text once, by another.

    Attributes:
        search: Text to find; empty only for a text that is itself empty.
        replace: Text to put in its place; empty to delete it.
    """

    search: str
    replace: str


class Change(Struct, frozen=True, kw_only=True):
    """An edit whose place is known.

    Attributes:
        start, end: Offsets in the text as it was.
        new: What stands there afterwards: the replacement with the place's line endings and indentation.
        line: Line that the place begins on, from 1.
        how: How the place was found.
    """

    start: int
    end: int
    new: str
    line: int
    how: How
