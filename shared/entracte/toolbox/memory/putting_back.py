"""The calls that take others back. For rules, not for agents."""

from __future__ import annotations

from typing import Any

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.toolbox.memory.recalling import MemoryId
from entracte.toolbox.nothing_done import nothing_done

ABSENT = "There is no memory"
"""Part of the error text of a memory that is not there."""

SNAPSHOT = {"tool": "read_memory", "args": {"memory": "$.memory"}, "absent_when": ABSENT}
"""How rules read the memory that a call changes."""


@tool(idempotent=True)
def put_back_memory(record: dict[str, Any], ctx: ToolContext[Any]) -> str:
    """Remember again what was forgotten, as it was, with its id and its date."""
    with nothing_done():
        return ctx.memories.put_back(record).id


@tool(idempotent=True)
def remove_memory(memory: MemoryId, ctx: ToolContext[Any]) -> str:
    """Take a memory away again that was made."""
    with nothing_done():
        return ctx.memories.forget(memory).id
