"""The one JSON value in a model's text, which may stand in a code fence or between sentences."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any, Literal, NoReturn

_FENCED = re.compile(r"^```[a-z]*\s*\n(.*)\n\s*```$", re.DOTALL)

# Braces in prose are passed over. A start that looks like JSON is taken at its word: trying the braces inside a broken
# object would find one of its parts and mistake it for the whole.
_STARTS = {"{": re.compile(r"\{\s*[\"}]"), "[": re.compile(r"\[\s*[\"\[{\-\dtfn\]]")}


def embedded_json(text: str, opening: Literal["{", "["] = "{") -> Any:
    """Read the value that is the whole text, or else the one object (or list) in it.

    Raises:
        ValueError: There is none, or more than one; says which.
    """
    text = text.strip()
    if fenced := _FENCED.match(text):
        text = fenced[1].strip()
    with suppress(ValueError):
        value, end = _value_at(text, 0)
        if end == len(text):
            return value
    starts = _STARTS[opening]
    if (start := starts.search(text)) is None:
        raise ValueError("there is no JSON in it")
    value, end = _value_at(text, start.start())
    if (another := starts.search(text, end)) and _is_value(text, another.start()):
        raise ValueError("there is more than one JSON value in it")
    return value


def _is_value(text: str, start: int) -> bool:
    try:
        _value_at(text, start)
    except ValueError:
        return False
    return True


def _value_at(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
