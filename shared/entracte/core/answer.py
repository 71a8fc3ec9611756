"""What somebody says to a gate."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Via = Literal["http", "link", "console", "cli", "mcp", "python", "sweep"]
"""Which way it came."""


class Answer(BaseModel):
    """What somebody says to a gate.

    Attributes:
        id: Equal for every delivery of the same answer.
        operator: They may decide gates that name no approvers although the run is not theirs.
        digest: Of the arguments that they saw; empty where the document itself was edited.
        edited_arguments: JSON object in place of the arguments, or None.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    by: str
    via: Via
    decision: str
    operator: bool = False
    digest: str = ""
    reason: str = ""
    edited_arguments: str = ""
