"""The letter document: a message that nobody could read and that names no run, kept for a person to look at."""

from __future__ import annotations

from entracte.core.documents.base import AwareDatetime, Document

MAX_CHARS = 4000
"""How much of its body is kept."""


class Letter(Document, frozen=True, kw_only=True):
    """A message that could not be read.

    Attributes:
        source: Function that it came to.
        reason: What is wrong with it.
        body: Its beginning, as text.
        size_bytes: All of it.
        count: How often one like it has come.
    """

    source: str
    reason: str
    body: str
    size_bytes: int
    count: int = 1
    first: AwareDatetime
    last: AwareDatetime
    expires: AwareDatetime | None = None
