"""Whether a merged text still says what its items said, as far as code can tell.

Checked are the words that carry a fact: each number, date, id and name of the items has to stand in the text, and half
of their other long words. Not checked is how they belong together; for that the journal keeps every item as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

SHARE_KEPT = 0.5
"""Part of the long words in small letters that may not be lost: below it, a text says something else."""

_WORD = re.compile(r"\w+(?:[.,:/@+-]\w+)*")

_LONG = 5


def lost_by(texts: Sequence[str], merged: str) -> str:
    """What the merged text leaves out of the items, in words; empty when it keeps it all."""
    hard = {word for text in texts for word in _words(text) if _carries_a_fact(word)}
    low = merged.casefold()
    gone = sorted(word for word in hard if not _is_there(word.casefold(), low))
    if gone:
        return f"{', '.join(gone[:5])} would be lost"
    soft = {word.casefold() for text in texts for word in _words(text) if len(word) >= _LONG} - {
        word.casefold() for word in hard
    }
    kept = sum(word[:_LONG] in low for word in soft)
    return "" if kept >= SHARE_KEPT * len(soft) else "too little of the words is kept"


def _words(text: str) -> Iterable[str]:
    return (found[0] for found in _WORD.finditer(text))


def _carries_a_fact(word: str) -> bool:
    """A number, a name, an id; in scripts without capitals every word may be one."""
    return any(c.isdigit() or c.isupper() or (c.isalpha() and c.lower() == c.upper()) for c in word)


def _is_there(word: str, merged: str) -> bool:
    """What has a digit stands there by itself: 17 is kept neither by 170 nor by 17.5."""
    if not any(c.isdigit() for c in word):
        return word in merged
    return re.search(rf"(?<!\w)(?<!\d\.){re.escape(word)}(?!\w)(?!\.\d)", merged) is not None
