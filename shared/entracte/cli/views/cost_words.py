"""What was spent on models, in words: what is not known is said, and never shown as nothing."""

from __future__ import annotations

from collections.abc import Iterable

from entracte.cli.records.records import Json
from entracte.cli.terminal.plain_text import one_line
from entracte.cli.terminal.quantities import count, money
from entracte.core.modelling import Usage


def cost_words(usage: Usage) -> str:
    """``$0.0123``, ``not known``, ``at least $0.0123: the price of 2 model calls is not known``."""
    if not usage.unpriced_calls:
        return money(usage.cost_micro_usd)
    unknown = f"the price of {count(usage.unpriced_calls, 'model call')} is not known"
    return f"at least {money(usage.cost_micro_usd)}: {unknown}" if usage.cost_micro_usd else f"not known: {unknown}"


def closing_cost(usage: Usage) -> str:
    """The same in a word or two, for a line that has no room; empty where it cost nothing."""
    if usage.unpriced_calls:
        return "cost not known"
    return money(usage.cost_micro_usd) if usage.cost_micro_usd else ""


def by_model(entries: Iterable[Json]) -> list[str]:
    """What each model that answered has used, in the order of their first answers."""
    used: dict[str, Usage] = {}
    for entry in entries:
        if entry["usage"]["model_calls"]:
            name = one_line(entry["served"]) or "(unnamed)"
            used[name] = used.get(name, Usage()) + Usage(**entry["usage"])
    return [
        f"{name}: {count(usage.model_calls, 'call')}, {count(usage.tokens, 'token')}, {cost_words(usage)}"
        for name, usage in used.items()
    ]
