"""Arguments that artifact tools have in common, and how a reference becomes an id before anybody looks at the call."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.core.calls import Prepared
from entracte.core.documents.artifact import MAX_TAG_CHARS, MAX_TAGS, MAX_TITLE_CHARS, Artifact, ArtifactType
from entracte.toolbox.nothing_done import nothing_done

Reference = Annotated[str, Field(min_length=1, max_length=300, description="Id or title, or the beginning of one.")]
Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARS, description="What it is called; one line.")]
Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARS)]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS, description="Words to find it by.")]
Type = Annotated[ArtifactType, Field(description="What kind of paper it is.")]
Version = Annotated[
    str,
    Field(max_length=40, description="Version that you have read; the call is refused if it has changed. Optional."),
]


def found(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Artifact:
    """The artifact that a call names. ToolError when there is none, or its version is another."""
    with nothing_done():
        return ctx.artifacts.get(arguments["artifact"])


def by_id(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
    """The call with the artifact's id, and the version that it has now: it changes this one, as it is, or nothing."""
    return Prepared(arguments=pinned(arguments, found(arguments, ctx)))


def pinned(arguments: dict[str, Any], artifact: Artifact) -> dict[str, Any]:
    """The arguments with id and version in place of what was written; a version that was given stays."""
    return arguments | {"artifact": artifact.id, "version": arguments.get("version") or artifact.version}
