"""Finding memories by their words, where no embedding model says what they mean."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from entracte.core.documents.memory_item import MemoryItem

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts that write words without spaces between them: kana, Han, Hangul."""


def by_words(query: str, items: Sequence[MemoryItem]) -> list[MemoryItem]:
    """Those that share words with the query, the best first: rare words count more, and of equals the first stays."""
    wanted = terms_of(query)
    terms = [terms_of(" ".join((item.text, item.category, *item.tags))) for item in items]
    holding = Counter(term for each in terms for term in each & wanted)
    scores = [sum(math.log1p(len(items) / holding[term]) for term in each & wanted) for each in terms]
    order = sorted(range(len(items)), key=lambda index: -scores[index])
    return [items[index] for index in order if scores[index] > 0]


def terms_of(text: str) -> frozenset[str]:
    """Words in small letters, their plural s left off; of unspaced scripts each two neighbouring characters."""
    terms: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.search(word):
            terms |= {word[at : at + 2] for at in range(max(1, len(word) - 1))}
        elif len(word) > 2 or word.isdigit():
            terms.add(word[:-1] if word.endswith("s") and len(word) > 3 else word)
    return frozenset(terms - _EVERYWHERE)


_EVERYWHERE = frozenset(
    "and are can did does for from had has have her him his how its may not our she that the their them then they thi "
    "was were what when where which who why will with would you your about into just like please want".split()
)
"""Words of English that are in every text. Other languages have theirs; rare words count more in any of them."""
