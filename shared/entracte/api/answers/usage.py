"""What models used, and what may be used, in answers."""

from __future__ import annotations

from pydantic import Field

from entracte.api.answers.shape import Answer


class Usage(Answer):
    """What model calls used."""

    prompt_tokens: int
    cached_tokens: int = Field(description="Part of the prompt's.")
    thinking_tokens: int
    output_tokens: int
    cost_micro_usd: int = Field(description="Of the calls whose price is known.")
    model_calls: int
    unpriced_calls: int = Field(description="Calls whose price is not known; above 0, the cost is not known either.")


class RunUsage(Usage):
    """What a run used. Complete once the run has closed."""

    tokens: int = Field(description="All that count against the budget.")


class Limits(Answer):
    """Most that a run may use."""

    actions: int = Field(description="Calls of tools and agents.")
    writes: int = Field(description="Calls that may change something.")
    tokens: int = Field(description="Prompt, thinking and output tokens.")
    cost_micro_usd: int = Field(description="Price of the model calls.")
    wall_s: int = Field(description="Seconds from creation to end, without the time spent waiting for people.")
    depth: int = Field(description="Agents inside each other.")
    parallel_calls: int = Field(description="Calls in one step.")
