"""Words as people look for them: case and accents do not matter, and the beginning of a word will do."""

from __future__ import annotations

import re
import unicodedata

# Letters that are not an accented form of another one in Unicode, but are typed as one.
_PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "\N{LATIN SMALL LETTER DOTLESS I}": "i", "þ": "th", "æ": "ae", "œ": "oe"}
)


def fold(text: str) -> str:
    """``Łukasz Müller`` as ``lukasz muller``."""
    spread = unicodedata.normalize("NFKD", text.casefold()).translate(_PLAIN)
    return "".join(letter for letter in spread if not unicodedata.combining(letter))


def words(text: str) -> list[str]:
    """The folded words of a text, in order. What is not a letter, digit or underscore separates them."""
    return re.findall(r"\w+", fold(text))


def matches(text: str, query: str) -> bool:
    """Whether every word of the query begins some word of the text.

    Beginnings, not parts: a search for ``Ada`` is not about everybody in Canada.
    """
    begun = " " + " ".join(words(text))
    return all(f" {word}" in begun for word in words(query))
