"""Forgetting."""

from __future__ import annotations

from typing import Any

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.core.calls import Prepared
from entracte.errors import NotFound
from entracte.toolbox.memory.putting_back import SNAPSHOT, put_back_memory
from entracte.toolbox.memory.recalling import MemoryId, read_memory
from entracte.toolbox.nothing_done import nothing_done


def _there(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
    """The call, once it is certain that there is something to forget."""
    with nothing_done():
        ctx.memories.get(arguments["memory"])
    return Prepared(arguments=arguments)


@tool(
    idempotent=True,
    evaluation="It was the memory that was meant.",
    prepare=_there,
    rule={
        "class": "reversible",
        "snapshot": SNAPSHOT,
        "inverse": {"tool": "put_back_memory", "args": {"record": "$snapshot"}},
    },
    needs=(read_memory, put_back_memory),
)
def forget(memory: MemoryId, ctx: ToolContext[Any]) -> str:
    """Forget one memory. recall gives its id."""
    with nothing_done():
        try:
            return ctx.memories.forget(memory).id
        except NotFound:
            if ctx.attempt == 1:
                raise
            return memory  # by an earlier attempt of this call
