"""Card numbers: a known issuer's beginning, its length, and the check digit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import luhn

_DIGITS = re.compile(r"\d(?:[ .\u00a0-]?\d){12,}")

_ISSUERS = re.compile(
    r"""
      4 (?: \d{12} | \d{15} | \d{18} )                                                            # Visa
    | (?: 5[1-5]\d\d | 222[1-9] | 22[3-9]\d | 2[3-6]\d\d | 27[01]\d | 2720 ) \d{12}               # Mastercard
    | 3[47] \d{13}                                                                                # American Express
    | (?: 6011 | 64[4-9]\d | 65\d\d ) \d{12}                                                      # Discover
    | 35(?: 2[89] | [3-8]\d ) \d{12}                                                              # JCB
    | 3(?: 0[0-5] | [68]\d ) \d{11}                                                               # Diners Club
    | 62 \d{14,17}                                                                                # UnionPay
    """,
    re.VERBOSE,
)

_LENGTHS = (19, 18, 17, 16, 15, 14, 13)


def is_card(digits: str) -> bool:
    """Whether bare digits are a card number. A time in milliseconds is not: no issuer's numbers begin so."""
    return _ISSUERS.fullmatch(digits) is not None and luhn.checksum(digits) == 0


def card_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each card number, its groups of digits apart by one blank, dot or hyphen or not at all."""
    for run in _DIGITS.finditer(text):
        places = [place for place in range(run.start(), run.end()) if text[place].isdecimal()]
        digits = "".join(text[place] for place in places)
        first = 0
        while first <= len(places) - _LENGTHS[-1]:
            length = _card_at(digits, places, first) if _begins_group(places, first) else 0
            if length:
                yield places[first], places[first + length - 1] + 1
            first += length or 1


def _begins_group(places: list[int], at: int) -> bool:
    return at == 0 or places[at] != places[at - 1] + 1


def _card_at(digits: str, places: list[int], first: int) -> int:
    """Digits of the card number that begins there and ends with a group; 0 when none does."""
    for length in _LENGTHS:
        after = first + length
        ends_group = after == len(places) or (after < len(places) and _begins_group(places, after))
        if ends_group and is_card(digits[first:after]):
            return length
    return 0
