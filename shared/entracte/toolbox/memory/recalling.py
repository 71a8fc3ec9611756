"""Looking at what is remembered."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.core.documents.memory_item import Category
from entracte.core.memory.record import record_of
from entracte.toolbox.nothing_done import nothing_done

MAX_SHOWN = 50

MemoryId = Annotated[str, Field(min_length=1, max_length=40, description="Id of a memory, such as m_0123456789ab.")]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", description="Day, such as 2026-11-30.")]


@tool(effect="readonly", evaluation="It says what was looked for; else other words, or without a category.")
def recall(
    ctx: ToolContext[Any],
    query: Annotated[str, Field(max_length=2000, description="What it is about; leave it out for the latest.")] = "",
    category: Annotated[Category | None, Field(description="Only those of this kind.")] = None,
    limit: Annotated[int, Field(ge=1, le=MAX_SHOWN, description="How many at most.")] = 8,
) -> list[dict[str, Any]]:
    """Recall what is known of the user from earlier conversations, by what it means.

    What comes back may be out of date: what the user says now goes before it.
    """
    with nothing_done():
        return [record_of(item) for item in ctx.memories.recall(query, category=category, limit=limit)]


@tool(effect="readonly", evaluation="It shows on which days something was remembered.")
def list_memory_dates(ctx: ToolContext[Any]) -> list[dict[str, Any]]:
    """List the days on which something was remembered, and how much, the latest first."""
    with nothing_done():
        return [{"date": day.day, "memories": day.count} for day in ctx.memories.days()[:MAX_SHOWN]]


@tool(effect="readonly", evaluation="It is the day that was meant.")
def read_memories_by_date(date: Day, ctx: ToolContext[Any]) -> list[dict[str, Any]]:
    """Read everything that was remembered on a day."""
    with nothing_done():
        return [record_of(item) for item in ctx.memories.of_day(date)[:MAX_SHOWN]]


@tool(effect="readonly")
def read_memory(memory: MemoryId, ctx: ToolContext[Any]) -> dict[str, Any]:
    """Read what a call changes. For rules, not for agents."""
    with nothing_done():
        return record_of(ctx.memories.get(memory))
