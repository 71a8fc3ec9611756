"""Foreign text made safe to show to the person who decides: nothing in it can hide, reorder or imitate other text."""

from __future__ import annotations

import unicodedata

_ESCAPED = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
"""Unicode categories: controls, formatting (bidirectional overrides, zero-width marks, tags), unassigned and private
characters, half surrogates, line and paragraph separators."""

_BLANK = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u2800", "\u3164", "\uffa0"}
"""Letters and marks that show nothing."""

_VARIANTS = range(0xE0100, 0xE01F0)
"""Marks that choose a variant of a character, of which any number can follow one, unseen."""


def visible(text: str) -> str:
    """The text on one line, with everything that is not plainly seen as its code point: ``⟨U+202E⟩``."""
    return "".join(_character(character) for character in text)


def shortened(text: str, limit: int) -> str:
    """The text, or its beginning and how many characters were left out."""
    if len(text) <= limit:
        return text
    kept = limit - len(f"… (+{len(text):,} characters)")  # as long as the note can get
    return f"{text[:kept]}… (+{len(text) - kept:,} characters)"


def _character(character: str) -> str:
    if character in "\n\t":
        return "⏎" if character == "\n" else " "
    hidden = unicodedata.category(character) in _ESCAPED or character in _BLANK or ord(character) in _VARIANTS
    return f"⟨U+{ord(character):04X}⟩" if hidden else character
