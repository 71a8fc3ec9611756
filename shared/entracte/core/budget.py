"""What a run may use, cut into shares so that no two frames can spend the same remainder.

Usage lives in frames. Opening a child moves a share of what is left from its parent's frame, and the child's end gives
back the rest, so no phase has to write the run document at each step.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from entracte.core.modelling import Usage


class Limits(BaseModel):
    """Most that may be used.

    Attributes:
        actions: Calls of tools and agents.
        writes: Calls that may change something.
        tokens: Prompt, thinking and output tokens.
        cost_micro_usd: Price of the model calls.
        wall_s: Seconds from creation to end, time spent waiting for people left out.
        depth: Frames inside each other; the root has depth 1.
        parallel_calls: Calls in one step.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    actions: int = Field(default=200, ge=0)
    writes: int = Field(default=50, ge=0)
    tokens: int = Field(default=1_000_000, ge=0)
    cost_micro_usd: int = Field(default=5_000_000, ge=0)
    wall_s: int = Field(default=3600, ge=1)
    depth: int = Field(default=4, ge=1, le=20)
    parallel_calls: int = Field(default=8, ge=1, le=8)

    def at_most(self, other: Limits) -> Limits:
        """The lower of each two limits. What the other leaves to its default lowers nothing."""
        return Limits(
            **self.model_dump()
            | {name: min(getattr(self, name), getattr(other, name)) for name in other.model_fields_set}
        )


class Share(BaseModel):
    """Part of a run's limits that one frame may spend."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    actions: int = 0
    writes: int = 0
    tokens: int = 0
    cost_micro_usd: int = 0

    @classmethod
    def whole(cls, limits: Limits) -> Share:
        return cls(**{name: getattr(limits, name) for name in cls.model_fields})

    def minus(self, other: Share) -> Share:
        return Share(**{name: part - getattr(other, name) for name, part in self})

    def plus(self, other: Share) -> Share:
        return Share(**{name: part + getattr(other, name) for name, part in self})

    def cut(self, parts: int) -> Share:
        """One of `parts` equal shares of what is left, never below nothing."""
        return Share(**{name: max(0, part) // parts for name, part in self})


def spend(usage: Usage) -> Share:
    """What a model call takes from a share."""
    return Share(tokens=usage.tokens, cost_micro_usd=usage.cost_micro_usd)
