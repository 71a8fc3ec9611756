"""Where in a text something stands that is to be masked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from entracte.adapters.masking.cards import card_numbers, is_card
from entracte.adapters.masking.keys import KEY
from entracte.core.masking.placeholders import PLACEHOLDER

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.!#$'*+~-]{1,64}(?:@|＠|%40)[^\W_](?:[\w-]{0,62}\.)+[^\W\d_][\w-]{0,62}",  # noqa: RUF001
    re.IGNORECASE,
)

_MAYBE_PHONE = re.compile(r"\d(?:[^\w\n]{0,3}\d){6,}")

Spans = Callable[[str], Iterator[tuple[int, int]]]


class Found(Struct, frozen=True):
    """Something to mask.

    Attributes:
        start, end: Of its characters.
        literal: It only looks like a placeholder.
    """

    start: int
    end: int
    kind: str
    literal: bool = False


class Finder:
    """Finds by kind.

    Args:
        kinds: Of ``email``, ``phone``, ``card`` and ``key``.
        patterns: Regular expressions by a kind of one's own.
        regions: Countries (``JP``) whose phone numbers are known without ``+``.
        keep: Patterns such as ``*@example.com`` of what stays as it is, in small letters.
    """

    def __init__(
        self,
        kinds: Sequence[str],
        patterns: Mapping[str, str] | None = None,
        regions: Sequence[str] = (),
        keep: Sequence[str] = (),
    ) -> None:
        known: dict[str, Spans] = {
            "key": lambda text: (m.span() for m in KEY.finditer(text)),
            "card": card_numbers,
            "email": lambda text: (m.span() for m in _EMAIL.finditer(text)),
            "phone": lambda text: _phones(text, tuple(regions)),
        }
        own = {kind: _spans_of(re.compile(pattern)) for kind, pattern in (patterns or {}).items()}
        self._by_kind = own | {kind: known[kind] for kind in known if kind in kinds}
        self._keep = tuple(pattern.lower() for pattern in keep)
        self._cards = "card" in kinds

    def find(self, text: str) -> list[Found]:
        """What is to be masked, in order, without overlaps. Placeholders are found as such, and nothing in them."""
        found: list[Found] = []
        at = 0
        for mark in PLACEHOLDER.finditer(text):
            found += [*self._between(text, at, mark.start()), Found(mark.start(), mark.end(), "", literal=True)]
            at = mark.end()
        return [*found, *self._between(text, at, len(text))]

    def is_card(self, number: int) -> bool:
        """Whether an integer is a card number that is to be masked."""
        return self._cards and 10**12 <= number < 10**19 and is_card(str(number)) and not self._stays(str(number))

    def _between(self, text: str, start: int, end: int) -> list[Found]:
        part = text if (start, end) == (0, len(text)) else text[start:end]
        spans = [(*span, kind) for kind, spans in self._by_kind.items() for span in spans(part)]
        kept = sorted((a, b, kind) for a, b, kind in spans if a < b and not self._stays(part[a:b]))
        found: list[Found] = []
        for a, b, kind in kept:
            if found and a + start < found[-1].end:  # one reaches into the other: both are covered, by one
                found[-1] = Found(found[-1].start, max(found[-1].end, b + start), found[-1].kind)
            else:
                found.append(Found(a + start, b + start, kind))
        return found

    def _stays(self, text: str) -> bool:
        return any(fnmatchcase(text.lower(), pattern) for pattern in self._keep)


def _spans_of(pattern: re.Pattern[str]) -> Spans:
    return lambda text: (m.span() for m in pattern.finditer(text))


def _phones(text: str, regions: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    if not _MAYBE_PHONE.search(text) or not (regions or "+" in text or "＋" in text):  # noqa: RUF001
        return
    from phonenumbers import PhoneNumberMatcher  # its tables are large, and most texts have no such number

    for region in regions or (None,):
        for match in PhoneNumberMatcher(text, region):
            yield match.start, match.end
