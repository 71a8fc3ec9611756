"""The calls that take others back. For rules, not for agents."""

from __future__ import annotations

from typing import Any

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.toolbox.artifacts.arguments import Reference
from entracte.toolbox.artifacts.looking import read_artifact
from entracte.toolbox.nothing_done import nothing_done

ABSENT = "There is no artifact"
"""Part of the error text of an artifact that is not there."""

SNAPSHOT = {"tool": "read_artifact", "args": {"artifact": "$.artifact"}, "absent_when": ABSENT}
"""How rules read the artifact that a call changes."""

RESTORING = {"tool": "put_back_artifact", "args": {"record": "$snapshot"}}
"""How rules put it back."""


@tool(idempotent=True)
def put_back_artifact(record: dict[str, Any], ctx: ToolContext[Any]) -> str:
    """Make an artifact what it was, to the last character, with its id and its times."""
    with nothing_done():
        return ctx.artifacts.put_back(record).id


@tool(idempotent=True)
def remove_artifact(artifact: Reference, ctx: ToolContext[Any]) -> str:
    """Take an artifact away again that was made."""
    with nothing_done():
        return ctx.artifacts.delete(artifact).id


NEEDS = (read_artifact, put_back_artifact)
"""Tools that these rules call."""
