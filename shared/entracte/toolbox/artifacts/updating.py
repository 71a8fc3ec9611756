"""Changing what is said about an artifact, and whether it is in everybody's view. Its text is edited."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.core.artifacts.record import summary_of
from entracte.errors import ToolError
from entracte.toolbox.artifacts.arguments import Reference, Tags, Title, Type, Version, by_id
from entracte.toolbox.artifacts.putting_back import NEEDS, RESTORING, SNAPSHOT
from entracte.toolbox.nothing_done import nothing_done


@tool(
    artifacts=True,
    idempotent=True,
    evaluation="It is called, tagged and shown as was asked.",
    prepare=by_id,
    rule={"class": "reversible", "snapshot": SNAPSHOT, "inverse": RESTORING},
    needs=NEEDS,
)
def update_artifact(
    artifact: Reference,
    ctx: ToolContext[Any],
    title: Title | None = None,
    type: Type | None = None,
    tags: Tags | None = None,
    active: Annotated[bool | None, Field(description="Whether it is in everybody's view.")] = None,
    version: Version = "",
) -> dict[str, Any]:
    """Rename an artifact, tag it, or take it off everybody's view and put it back. What is left out stays.

    To change its text, edit it.
    """
    given: dict[str, Any] = {"title": title, "type": type, "tags": tags, "active": active}
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise ToolError("Nothing is to be changed: give title, type, tags or active.")
    with nothing_done():
        changed = ctx.artifacts.change(
            artifact, lambda before: before.changed(**changes), key=ctx.idempotency_key, version=version
        )
    return summary_of(changed)
