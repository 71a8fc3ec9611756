"""Looking at artifacts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.core.artifacts.record import record_of, summary_of
from entracte.core.documents.artifact import SNIPPET_CHARS
from entracte.core.editing.lines import lines_of
from entracte.toolbox.artifacts.arguments import Reference
from entracte.toolbox.nothing_done import nothing_done

MAX_SHOWN = 100
"""Artifacts of one list."""


@tool(effect="readonly", artifacts=True, evaluation="It is the artifact that was meant, and holds what was looked for.")
def get_artifact(
    artifact: Reference,
    ctx: ToolContext[Any],
    first_line: Annotated[int, Field(ge=1, description="Line to begin at.")] = 1,
    lines: Annotated[int | None, Field(ge=1, description="How many lines; all by default.")] = None,
) -> dict[str, Any]:
    """Read an artifact, whole or some of its lines."""
    with nothing_done():
        found = ctx.artifacts.get(artifact)
    if first_line == 1 and lines is None:
        return record_of(found)
    there = lines_of(found.text)
    part = there[first_line - 1 : None if lines is None else first_line - 1 + lines]
    shown = f"{first_line} to {first_line + len(part) - 1} of {len(there)}" if part else f"none of {len(there)}"
    return {**summary_of(found), "lines": shown, "content": "".join(part)}


@tool(effect="readonly", artifacts=True, evaluation="It shows what there is to choose from.")
def list_artifacts(
    ctx: ToolContext[Any],
    tag: Annotated[str, Field(description="Only those with this tag.")] = "",
    active: Annotated[bool | None, Field(description="Only those that are in everybody's view, or are not.")] = None,
) -> dict[str, Any]:
    """List the artifacts of this session and the shared ones, the one changed last first."""
    with nothing_done():
        found = ctx.artifacts.list(tag=tag, active=active)
    shown = [{**summary_of(a), "snippet": a.snippet[: SNIPPET_CHARS // 3]} for a in found[:MAX_SHOWN]]
    return {"artifacts": shown, "not_shown": len(found) - len(shown)}


@tool(effect="readonly")
def read_artifact(artifact: Reference, ctx: ToolContext[Any]) -> dict[str, Any]:
    """Read what a call changes. For rules, not for agents."""
    with nothing_done():
        return record_of(ctx.artifacts.get(artifact))
