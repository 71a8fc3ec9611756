"""Thinking aloud: a thought becomes an action of the journal, which people can read, and nothing else happens."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from entracte.agents.tool import tool


@tool(
    effect="readonly",
    evaluation="What follows from the thought belongs into state: decisions, questions, facts.",
    rule={"class": "readonly"},
)
def record_thought(
    thought: Annotated[str, Field(min_length=1, max_length=4000, description="What you think, and why.")],
) -> dict[str, str]:
    """Write a thought down before going on: weigh findings, compare ways to go, look for what is missing.

    Where a wrong step would cost much. It finds out nothing and changes nothing.
    """
    return {"thought": thought}
