"""Placeholders such as ``⟨email-k3f9x2m7qa⟩``, which stand for values that documents and models do not get to see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

PLACEHOLDER = re.compile(r"⟨[a-z][a-z0-9_]{0,30}-[a-z2-7]{10}⟩")

LITERAL = "text"
"""Kind of what only looks like a placeholder: a tool's own text, which must come back as it was."""


def placeholder(kind: str, code: str) -> str:
    """The placeholder of a kind (small letters, digits, ``_``) and a code (10 characters of base 32)."""
    return f"⟨{kind}-{code}⟩"


def placeholders_in(value: Any) -> frozenset[str]:
    """Every placeholder in a JSON value, in keys too."""
    return frozenset(found.group() for text in _texts(value) for found in PLACEHOLDER.finditer(text))


def filled(value: Any, true: Mapping[str, Any]) -> Any:
    """The value with what its placeholders stand for. It is done once: what comes in is not looked at again.

    Args:
        true: By placeholder. A text that is one placeholder becomes the value itself, of whatever type; within a text
            the value is written out. Placeholders that are not named here stay.
    """

    def written(found: re.Match[str]) -> str:
        return str(true.get(found.group(), found.group()))

    def fill(text: str) -> Any:
        return true[text] if text in true else PLACEHOLDER.sub(written, text)

    return mapped(value, fill, lambda key: PLACEHOLDER.sub(written, key)) if true else value


def mapped(
    value: Any, of_leaf: Callable[[Any], Any], of_key: Callable[[str], str], *, kinds: type | tuple[type, ...] = str
) -> Any:
    """The value with its leaves of some kinds, and its keys, replaced; itself where nothing is.

    Args:
        of_leaf: Gives the same object for what stays.
    """
    match value:
        case dict():
            pairs = {of_key(key): mapped(item, of_leaf, of_key, kinds=kinds) for key, item in value.items()}
            same = len(pairs) == len(value) and all(
                old == new and value[old] is pairs[new] for old, new in zip(value, pairs, strict=True)
            )
            return value if same else pairs
        case list():
            items = [mapped(item, of_leaf, of_key, kinds=kinds) for item in value]
            return value if all(old is new for old, new in zip(value, items, strict=True)) else items
        case bool():
            return value
        case _ if isinstance(value, kinds):
            return of_leaf(value)
        case _:
            return value


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from value
            for item in value.values():
                yield from _texts(item)
        case list() | tuple():
            for item in value:
                yield from _texts(item)
        case _:
            return
