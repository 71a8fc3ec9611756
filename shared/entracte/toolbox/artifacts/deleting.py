"""Deleting artifacts."""

from __future__ import annotations

from typing import Any

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.errors import NotFound
from entracte.toolbox.artifacts.arguments import Reference, Version, by_id
from entracte.toolbox.artifacts.putting_back import NEEDS, RESTORING, SNAPSHOT
from entracte.toolbox.nothing_done import nothing_done


@tool(
    artifacts=True,
    idempotent=True,
    evaluation="It was the artifact that was meant.",
    prepare=by_id,
    rule={
        "class": "reversible",
        "gate": "always",
        "question": "Delete the artifact $snapshot.title?",
        "snapshot": SNAPSHOT,
        "inverse": RESTORING,
    },
    needs=NEEDS,
)
def delete_artifact(artifact: Reference, ctx: ToolContext[Any], version: Version = "") -> str:
    """Delete an artifact for good. To take it off everybody's view, update it with ``active: false`` instead."""
    with nothing_done():
        try:
            return ctx.artifacts.delete(artifact, version=version).id
        except NotFound:
            if ctx.attempt == 1:
                raise
            return artifact  # by an earlier attempt of this call
