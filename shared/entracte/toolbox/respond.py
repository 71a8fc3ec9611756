"""Ending with an answer, by a call like any other: for models that call tools more surely than they stop calling."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool


@tool(effect="readonly", evaluation="It is the answer; nothing is to be judged.", rule={"class": "readonly"})
def respond(
    answer: Annotated[Any, Field(description="Text, or the value that was asked for.")], ctx: ToolContext[Any]
) -> str:
    """Give the final answer and stop.

    The calls beside it are still made. Only when everything has been done.
    """
    ctx.terminate(answer)
    return "answered"
