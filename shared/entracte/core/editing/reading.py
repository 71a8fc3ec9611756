"""Edits as a model writes them: structured, or, where it fails at that, search/replace blocks."""

from __future__ import annotations

import json
from typing import Any

from entracte.core.editing.blocks import read_blocks
from entracte.core.editing.edit import Edit
from entracte.errors import InvalidInput

_EXPECTED = 'Give [{"search": "…", "replace": "…"}], or text with <<<<<<< SEARCH, =======, >>>>>>> REPLACE blocks.'


def read_edits(given: Any) -> tuple[Edit, ...]:
    """The edits: of a list of ``{"search", "replace"}``, of one such object, of either as JSON text, or of blocks.

    Raises:
        InvalidInput: None of these (code ``bad_edits`` or ``bad_blocks``).
    """
    match given:
        case str():
            structured = _json(given)
            return read_blocks(given) if structured is None else read_edits(structured)
        case dict():
            return (_edit(given, 1),)
        case list():
            return tuple(_edit(item, number) for number, item in enumerate(given, 1))
        case _:
            raise InvalidInput(f"{type(given).__name__} is no list of edits.", remedy=_EXPECTED, code="bad_edits")


def _edit(item: Any, number: int) -> Edit:
    match item:
        case {"search": str(search), "replace": str(replace), **more} if not more:
            return Edit(search, replace)
        case _:
            raise InvalidInput(f"Edit {number} is not an object of two texts.", remedy=_EXPECTED, code="bad_edits")


def _json(text: str) -> list[Any] | dict[str, Any] | None:
    """A list or object that the text is as JSON; None where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (list, dict)) else None
