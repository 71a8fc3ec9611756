"""Writing down what is to be done: items of the agent's own list of tasks."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool

Task = Annotated[str, Field(min_length=1, max_length=500)]


@tool(effect="readonly", evaluation="The tasks lead to the goal, in this order.", rule={"class": "readonly"})
def plan_task(
    tasks: Annotated[list[Task], Field(min_length=1, max_length=20, description="In the order of the work.")],
    ctx: ToolContext[Any],
) -> str:
    """Add tasks to the list of what you have to do.

    Only what is not there yet. What has been done is marked in state.
    """
    ctx.update_state({"tasks": [f"to do: {task}" for task in tasks]})
    return f"{len(tasks)} added"
