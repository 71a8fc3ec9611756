"""What a run may use, cut into shares so that no two frames can spend the same remainder.

Usage lives in frames. Opening a child moves a share of what is left from its parent's frame, and the child's end gives
back the rest, so no phase has to write the run document at each step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from entracte.core.evolving import Evolving
from entracte.core.modelling import Usage

Amount = Annotated[int, Meta(ge=0)]


class Limits(Evolving, frozen=True, kw_only=True):
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

    actions: Amount = 200
    writes: Amount = 50
    tokens: Amount = 1_000_000
    cost_micro_usd: Amount = 5_000_000
    wall_s: Annotated[int, Meta(ge=1)] = 3600
    depth: Annotated[int, Meta(ge=1, le=20)] = 4
    parallel_calls: Annotated[int, Meta(ge=1, le=8)] = 8

    def at_most(self, lower: Mapping[str, int]) -> Limits:
        """The lower of each two limits.

        Args:
            lower: Limits by name. Those that are not named stay.
        """
        return self.evolve(**{name: min(getattr(self, name), limit) for name, limit in lower.items()})


class Share(Evolving, frozen=True, kw_only=True):
    """Part of a run's limits that one frame may spend."""

    actions: int = 0
    writes: int = 0
    tokens: int = 0
    cost_micro_usd: int = 0

    @classmethod
    def whole(cls, limits: Limits) -> Share:
        return cls(**{name: getattr(limits, name) for name in cls.__struct_fields__})

    def minus(self, other: Share) -> Share:
        return Share(**{name: getattr(self, name) - getattr(other, name) for name in self.__struct_fields__})

    def plus(self, other: Share) -> Share:
        return Share(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})

    def cut(self, parts: int) -> Share:
        """One of `parts` equal shares of what is left, never below nothing."""
        return Share(**{name: max(0, getattr(self, name)) // parts for name in self.__struct_fields__})


def spend(usage: Usage) -> Share:
    """What a model call takes from a share."""
    return Share(tokens=usage.tokens, cost_micro_usd=usage.cost_micro_usd)
