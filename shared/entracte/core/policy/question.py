"""What an approver is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core.payload import canonical
from entracte.core.policy.rule import Rule
from entracte.core.policy.visible import shortened, visible
from entracte.core.reference import Reference
from entracte.core.template import Text
from entracte.errors import InvalidInput

MAX_CHARACTERS = 200
_MAX_VALUE = 80
"""Characters of one value, so that a long one cannot push the question out of sight."""


def question(rule: Rule, tool: str, arguments: Mapping[str, Any]) -> str:
    """The rule's question on one line, with values filled in; one that is not there is left as it is referred to."""
    match rule.question.node if rule.question is not None else f"Call {tool}?":
        case Text() as text:
            asked = "".join(_piece(piece, arguments) for piece in text.pieces)
        case plain:
            asked = visible(str(plain))
    return shortened(asked, MAX_CHARACTERS)


def _piece(piece: str | Reference, arguments: Mapping[str, Any]) -> str:
    if isinstance(piece, str):
        return visible(piece)
    try:
        value = piece.resolve({"$": dict(arguments)})
    except InvalidInput:
        return piece.text
    return shortened(visible(value if isinstance(value, str) else canonical(value)), _MAX_VALUE)
