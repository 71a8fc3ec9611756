"""Making artifacts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.core.artifacts.naming import artifact_id
from entracte.core.artifacts.record import summary_of
from entracte.core.calls import Prepared
from entracte.toolbox.artifacts.arguments import Tags, Title, Type
from entracte.toolbox.artifacts.looking import read_artifact
from entracte.toolbox.artifacts.putting_back import ABSENT, SNAPSHOT, remove_artifact
from entracte.toolbox.nothing_done import nothing_done


def _with_id(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
    """The call with the id that it will make, so that the rule knows what to look at."""
    return Prepared(arguments=arguments | {"artifact": artifact_id(ctx.idempotency_key)})


@tool(
    artifacts=True,
    idempotent=True,
    evaluation="What was to be kept is in it.",
    prepare=_with_id,
    rule={
        "class": "compensable",
        "snapshot": SNAPSHOT,
        "inverse": {"tool": "remove_artifact", "args": {"artifact": "$.artifact"}, "absent_when": ABSENT},
    },
    needs=(read_artifact, remove_artifact),
)
def create_artifact(
    title: Title,
    content: Annotated[str, Field(description="Its text.")],
    ctx: ToolContext[Any],
    type: Type = "text",
    tags: Tags = [],  # noqa: B006  # copied by pydantic for each call
    shared: Annotated[bool, Field(description="Seen in all of the user's sessions.")] = False,
    artifact: Annotated[str, Field(description="Leave it out: its id is given.")] = "",
) -> dict[str, Any]:
    """Keep a text as an artifact: a result, a draft, a note that people and other agents go on with.

    Look first whether there is one already that should be edited.
    """
    with nothing_done():
        made = ctx.artifacts.create(
            key=ctx.idempotency_key, title=title, text=content, shared=shared, type=type, tags=tags
        )
    return summary_of(made)
