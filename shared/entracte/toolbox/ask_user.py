"""Asking the person whose run it is. The run waits at a gate, at no cost, and the answer is the tool's result."""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import replace
from pydantic import Field

from entracte.agents.tool import Tool, tool


@tool(name="ask_user", effect="readonly", evaluation="The answer settles what was asked, or it is asked again.")
def _ask_user(question: Annotated[str, Field(min_length=1, max_length=2000, description="One question.")]) -> str:
    """Ask the user a question and wait for the answer.

    Only for what no tool can tell and nothing can be assumed about. Ask one thing at a time.
    """
    raise AssertionError(f"asked by a gate, never called: {question}")


ask_user = Tool(replace(_ask_user.spec, asks=True), _ask_user.function)
