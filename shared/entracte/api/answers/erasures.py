"""What is erased, as the API says it. `entracte.runtime.upkeep.erasing` makes the values."""

from __future__ import annotations

from pydantic import Field

from entracte.api.answers.shape import Answer


class ErasureAnswer(Answer):
    """What is kept of an owner, or what of it was deleted."""

    owner: str
    dry_run: bool = Field(description="Nothing was deleted.")
    open: list[str] = Field(description="Runs that stand in the way; at most 20 are named.")
    counts: dict[str, int] = Field(description="Documents by collection.")
    complete: bool = Field(description="There is nothing else. If not, the time was over: ask again.")
