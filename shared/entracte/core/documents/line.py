"""A turn as the session's window shows it."""

from __future__ import annotations

from typing import Literal

from entracte.core.evolving import Evolving

Speaker = Literal["user", "assistant", "system"]
"""Who says it. The system says what has become of earlier turns."""

EXCERPT_CHARS = 4000
"""Longest text of a turn in the window; the turn document has more."""


class Line(Evolving, frozen=True, kw_only=True):
    """A turn as the window shows it.

    Attributes:
        did: What the assistant thought and called before it said this, a line each.
    """

    role: Speaker
    text: str
    did: tuple[str, ...] = ()


def line_of(role: Speaker, text: str, did: tuple[str, ...] = ()) -> Line:
    """A turn as the window shows it."""
    return Line(role=role, text=cut(text, EXCERPT_CHARS), did=did)


def cut(text: str, chars: int) -> str:
    """The beginning of a text, and how long the whole is."""
    return text if len(text) <= chars else f"{text[:chars]} … ({len(text):,} characters)"
