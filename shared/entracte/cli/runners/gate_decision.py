"""What somebody says to a gate."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from entracte.errors import InvalidInput


class Decision(Struct, frozen=True, kw_only=True):
    """A word and what goes with it.

    Attributes:
        word: ``approve``, ``deny``, ``happened``, ``retry``, ``give_up``; for a question, the answer.
        by: Who says so; empty for whoever is signed in.
        arguments: JSON text in place of the call's arguments; empty to leave them.
    """

    word: str
    by: str = ""
    reason: str = ""
    arguments: str = ""

    def saying(self, word: str) -> Decision:
        """The same with another word."""
        return replace(self, word=word)


def read_arguments(text: str) -> dict[str, Any]:
    """Arguments of a call, as a person wrote them.

    Raises:
        InvalidInput: The text is no JSON object.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"The arguments are not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InvalidInput("The arguments are no JSON object.", remedy='An object is written {"name": value}.')
    return value
