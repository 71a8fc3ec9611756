"""Plain YAML scalars by the core schema of YAML 1.2: ``yes`` and ``on`` are texts, and so are dates.

https://yaml.org/spec/1.2.2/#103-core-schema
"""

from __future__ import annotations

import re

MAX_DIGITS = 1000
"""Of one number. Python refuses to convert far longer ones."""

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def plain_value(text: str) -> str | int | float | bool | None:
    """What a scalar without quotes means.

    Raises:
        ValueError: A number of more than `MAX_DIGITS` characters.
    """
    if text in _WORDS:
        return _WORDS[text]
    kinds = (_WHOLE, int), (_OCTAL_OR_HEX, lambda text: int(text, 0)), (_DECIMAL, float)
    for pattern, convert in kinds:
        if pattern.fullmatch(text):
            if len(text) > MAX_DIGITS:
                raise ValueError(f"a number of {len(text):,} characters")
            return convert(text)
    return text
