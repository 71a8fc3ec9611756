"""What somebody says to a gate."""

from __future__ import annotations

from typing import Literal

from entracte.core.evolving import Evolving

Via = Literal["http", "link", "console", "cli", "mcp", "python", "sweep"]
"""Which way it came."""

Author = Literal["proved", "untested", "unknown", "machine"]
"""What is known of whoever answered: proved by the way it came; named by the console, whose word has not been tested in
this deployment; not named at all; one of this deployment's own service accounts."""

UNCONFIRMED = "unconfirmed"
"""Stands for an author whom nobody named."""


class Answer(Evolving, frozen=True, kw_only=True):
    """What somebody says to a gate.

    Attributes:
        id: Equal for every delivery of the same answer.
        by: E-mail or user id; `UNCONFIRMED` when the author is unknown.
        author: How far `by` can be relied on.
        operator: They may decide gates that name no approvers although the run is not theirs.
        digest: Of the arguments that they saw; empty where the document itself was edited.
        edited_arguments: JSON object in place of the arguments, or None.
    """

    id: str
    by: str
    via: Via
    decision: str
    author: Author = "proved"
    operator: bool = False
    digest: str = ""
    reason: str = ""
    edited_arguments: str = ""
