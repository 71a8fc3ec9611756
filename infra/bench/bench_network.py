"""The network that is measured: one agent, one readonly tool, a scripted model that does not think."""

from __future__ import annotations

import itertools

from entracte.agents import Agent, Budget, Models, Network, tool

STEPS = 30
"""Steps of the scripted run, as in steps.yaml."""

_numbers = itertools.count()


@tool(effect="readonly", evaluation="It has a number.")
def look() -> dict[str, int]:
    """Look at something. Every look is different, so that no loop is suspected."""
    return {"number": next(_numbers)}


network = Network(
    entry=Agent(name="bench", tools=[look], max_steps=STEPS + 2),
    models=Models(main="scripted/infra/bench/steps.yaml"),
    budget=Budget(actions=1000),
)
