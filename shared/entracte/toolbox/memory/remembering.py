"""Remembering because an agent says so, rather than after an answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.core.calls import Prepared
from entracte.core.documents.memory_item import MAX_TAG_CHARS, MAX_TAGS, MAX_TEXT_CHARS, Category
from entracte.core.memory.naming import memory_id
from entracte.core.memory.record import record_of
from entracte.toolbox.memory.putting_back import ABSENT, SNAPSHOT, remove_memory
from entracte.toolbox.memory.recalling import read_memory
from entracte.toolbox.nothing_done import nothing_done

Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARS)]


def _with_id(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
    """The call with the id that it will make, so that the rule knows what to look at."""
    return Prepared(arguments=arguments | {"memory": memory_id(ctx.idempotency_key)})


@tool(
    idempotent=True,
    evaluation="It says what is to be remembered, and will be understood without this conversation.",
    prepare=_with_id,
    rule={
        "class": "compensable",
        "snapshot": SNAPSHOT,
        "inverse": {"tool": "remove_memory", "args": {"memory": "$.memory"}, "absent_when": ABSENT},
    },
    needs=(read_memory, remove_memory),
)
def remember(
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS, description="One thing, in full sentences.")],
    ctx: ToolContext[Any],
    category: Annotated[Category, Field(description="What kind of thing it is.")] = "other",
    tags: Annotated[list[Tag], Field(max_length=MAX_TAGS, description="Words to find it by.")] = [],  # noqa: B006  # copied by pydantic for each call
    memory: Annotated[str, Field(description="Leave it out: its id is given.")] = "",
) -> dict[str, Any]:
    """Remember something of the user for other conversations: a preference, a decision, a core setting, a detail.

    Only what they want kept or what will matter again. Never passwords, keys, card or account numbers.
    """
    with nothing_done():
        made = ctx.memories.remember(key=ctx.idempotency_key, text=text, category=category, tags=tags, run=ctx.run_id)
    return record_of(made)
