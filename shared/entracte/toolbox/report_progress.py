"""Telling whoever watches how far the work is."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool


@tool(effect="readonly", evaluation="It has been told; nothing is to be judged.", rule={"class": "readonly"})
def report_progress(
    text: Annotated[str, Field(min_length=1, max_length=500, description="One sentence.")], ctx: ToolContext[Any]
) -> str:
    """Tell the user what has been done so far and what comes next, without waiting for an answer.

    Where the work takes long. It ends nothing.
    """
    ctx.progress(text)
    return "told"
