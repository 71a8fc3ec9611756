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


def question(rule: Rule, tool: str, arguments: Mapping[str, Any], before: Any = None) -> str:
    """The rule's question on one line, with values filled in; one that is not there is left as it is referred to.

    Args:
        before: The record that the call changes; None where it is not there, or was not read. Then a question that
            refers to it is not asked, but the tool is named.
    """
    match rule.question.node if rule.question is not None else f"Call {tool}?":
        case Text(pieces) if before is None and any(isinstance(p, Reference) and p.root == "$snapshot" for p in pieces):
            asked = f"Call {tool}?"
        case Text(pieces):
            asked = "".join(_piece(piece, {"$": dict(arguments), "$snapshot": before}) for piece in pieces)
        case plain:
            asked = visible(str(plain))
    return shortened(asked, MAX_CHARACTERS)


def _piece(piece: str | Reference, known: Mapping[str, Any]) -> str:
    if isinstance(piece, str):
        return visible(piece)
    try:
        value = piece.resolve(known)
    except InvalidInput:
        return piece.text
    return shortened(visible(value if isinstance(value, str) else canonical(value)), _MAX_VALUE)
