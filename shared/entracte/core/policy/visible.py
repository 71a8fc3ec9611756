"""Foreign text made safe to show to the person who decides: nothing in it can hide, reorder or imitate other text."""

from __future__ import annotations

import unicodedata

_ESCAPED = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
"""Unicode categories: controls, formatting (bidirectional overrides, zero-width marks, tags), unassigned and private
characters, half surrogates, line and paragraph separators."""


def visible(text: str) -> str:
    """The text on one line, with everything that is not plainly seen as its code point: ``⟨U+202E⟩``."""
    return "".join(_character(character) for character in text)


def shortened(text: str, limit: int) -> str:
    """The text, or its beginning and how many characters were left out."""
    if len(text) <= limit:
        return text
    end = f"… (+{len(text):,} characters)"  # as long as the note can get
    kept = max(0, limit - len(end))
    return f"{text[:kept]}… (+{len(text) - kept:,} characters)"


def _character(character: str) -> str:
    if character == "\n":
        return "⏎"
    if character == "\t":
        return " "
    return f"⟨U+{ord(character):04X}⟩" if unicodedata.category(character) in _ESCAPED else character
