"""Editing the text of artifacts: some places of it, or all of it at once."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.core.artifacts.record import summary_of
from entracte.core.calls import Prepared
from entracte.core.documents.artifact import Artifact
from entracte.core.editing.applying import MAX_EDITS, apply_edits
from entracte.core.editing.diff import diff_of_changes, diff_of_texts
from entracte.core.editing.reading import read_edits
from entracte.errors import ToolError
from entracte.toolbox.artifacts.arguments import Reference, Version, found, pinned
from entracte.toolbox.artifacts.putting_back import NEEDS, RESTORING, SNAPSHOT
from entracte.toolbox.nothing_done import nothing_done

MAX_DIFF_LINES = 200
"""Lines of the diff that is worked out for people; they see at most 60 of them."""


class SearchReplace(BaseModel):
    """One edit."""

    model_config = ConfigDict(extra="forbid")

    search: str = Field(description="Text as it stands there, with enough around it to be there only once.")
    replace: str = Field(description="Text that takes its place; empty to delete it.")


Edits = Annotated[
    list[SearchReplace] | str,
    Field(
        max_length=MAX_EDITS * 100_000,
        description="Edits, applied all or none; or, as one text, <<<<<<< SEARCH, =======, >>>>>>> REPLACE blocks.",
    ),
]


def _shown(arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
    """The call with the artifact's id and version, and the diff that a person is asked about."""
    artifact = found(arguments, ctx)
    if (instruction := arguments.get("instruction")) and not arguments.keys() & {"edits", "content"}:
        from entracte.toolbox.artifacts.instructed import edits_of  # only where a model is asked

        arguments = arguments | {"edits": edits_of(instruction, artifact.text, ctx)}
    with nothing_done():
        text, diff, _ = _edited(artifact.text, arguments)
    if text == artifact.text:
        raise ToolError("This would change nothing.")
    return Prepared(arguments=pinned(arguments, artifact), diff=diff)


def _edited(before: str, arguments: dict[str, Any]) -> tuple[str, tuple[str, ...], list[dict[str, Any]]]:
    """The text afterwards, the diff, and where which edit applied."""
    edits, content = arguments.get("edits"), arguments.get("content")
    if (edits is None) == (content is None):
        raise ToolError("Give either edits, or content for a whole new text, or an instruction.")
    if content is not None:
        return content, tuple(islice(diff_of_texts(before, content), MAX_DIFF_LINES)), []
    edited = apply_edits(before, read_edits(edits))
    diff = tuple(islice(diff_of_changes(before, edited.changes), MAX_DIFF_LINES))
    return edited.text, diff, [{"line": change.line, "found": change.how} for change in edited.changes]


@tool(
    artifacts=True,
    idempotent=True,
    evaluation="Each edit applied where it was meant, and the text reads well as a whole.",
    prepare=_shown,
    rule={
        "class": "reversible",
        "gate": "always",
        "question": "Edit the artifact $snapshot.title?",
        "snapshot": SNAPSHOT,
        "inverse": RESTORING,
    },
    needs=NEEDS,
)
def edit_artifact(
    artifact: Reference,
    ctx: ToolContext[Any],
    edits: Edits | None = None,
    content: Annotated[str | None, Field(description="A whole new text, in place of edits.")] = None,
    instruction: Annotated[
        str | None, Field(max_length=4000, description="What to change, in words, in place of edits.")
    ] = None,
    version: Version = "",
) -> dict[str, Any]:
    """Change the text of an artifact.

    Read it first, and copy what you search for exactly. Edits apply all together or not at all. Where the text is long
    and what is to change is easily said, give an instruction: another model makes edits of it.
    """
    given = {
        "edits": [e.model_dump() for e in edits] if isinstance(edits, list) else edits,
        "content": content,
    }
    applied: list[dict[str, Any]] = []

    def change(before: Artifact) -> Artifact:
        text, _, applied[:] = _edited(before.text, given)
        return before.changed(text=text)

    with nothing_done():
        changed = ctx.artifacts.change(artifact, change, key=ctx.idempotency_key, version=version)
    return {**summary_of(changed), "edits": applied}
