"""What model calls cost: a table of prices, and the one place that turns tokens into money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, Struct

from entracte.core.modelling import Usage

MILLION = 1_000_000


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Price of a model's tokens, in micro-USD per million tokens: $0.75 per million is 750,000.

    Attributes:
        prompt: Of what is sent.
        cached: Of the part of it that the service had kept; by default as dear as the rest, so never too little.
        output: Of what comes back, thinking included.
        since: First day on which it holds.
    """

    prompt: Annotated[int, Meta(ge=0)]
    cached: Annotated[int, Meta(ge=0)] | None = None
    output: Annotated[int, Meta(ge=0)]
    since: date = date.min

    def cost_micro_usd(self, usage: Usage) -> int:
        """Cost of a usage, rounded up: a budget is never believed to hold more than it does."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        of_cached = self.prompt if self.cached is None else self.cached
        sum_ = (usage.prompt_tokens - cached) * self.prompt + cached * of_cached
        return -(-(sum_ + (usage.output_tokens + usage.thinking_tokens) * self.output) // MILLION)


class Prices(Struct, frozen=True):
    """Prices by model.

    Attributes:
        table: By ``provider/name``, in which ``*`` stands for any text; several prices follow each other in time.
    """

    table: Mapping[str, Sequence[Price]] = {}

    def of(self, model: str, on: date) -> Price | None:
        """Price of a model on a day; None when it is not known. A name counts before patterns, a long one before short.

        Args:
            model: ``provider/name``, as it was asked for.
        """
        for name in (model,) if model in self.table else _matching(model, tuple(self.table)):
            known = [price for price in self.table[name] if price.since <= on]
            if known:
                return max(known, key=lambda price: price.since)
        return None

    def priced(self, model: str, usage: Usage, on: date) -> Usage:
        """The usage with its cost; with its calls counted as unpriced when nobody knows what they cost.

        A cost that the service itself has told stays.
        """
        if usage.cost_micro_usd:
            return usage
        price = self.of(model, on)
        if price is None:
            return usage.evolve(unpriced_calls=usage.model_calls)
        return usage.evolve(cost_micro_usd=price.cost_micro_usd(usage))

    def over(self, other: Prices) -> Prices:
        """These prices, and the other's where these say nothing of a name."""
        return Prices({**other.table, **self.table})


@lru_cache(maxsize=64)
def _matching(model: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted((name for name in patterns if fnmatchcase(model, name)), key=len, reverse=True))
