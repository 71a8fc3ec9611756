"""``entracte artifacts``: the papers that people and agents of a session share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entracte.cli.failures import reason
from entracte.cli.invocation import Invocation, invocation

if TYPE_CHECKING:
    from entracte.desk import Desk, Json

artifacts = typer.Typer(
    help="List, show, add, edit, delete the papers of a session. People and agents share them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Reference = Annotated[str, typer.Argument(metavar="ARTIFACT", help="Id or title, or how one begins.")]
Session = Annotated[
    str, typer.Option(metavar="ID", help="Session whose papers they are; that of the newest run by default.")
]


@artifacts.command("list")
def list_artifacts(
    context: typer.Context,
    session: Session = "",
    tag: Annotated[str, typer.Option(metavar="TAG", help="Only those with this tag.")] = "",
) -> None:
    """List the artifacts of a session and those that all of one's sessions share, the one changed last first."""
    from rich.text import Text

    from entracte.cli.terminal.columns import in_columns
    from entracte.cli.terminal.plain_text import one_line

    called = invocation(context)
    with _desk(called, session) as desk:
        found = desk.list(tag=tag)
    if called.options.as_json:
        called.screen.json({"artifacts": list(found)})
        return
    if not found:
        called.screen.note("No artifacts.")
        return
    rows = [[Text(name, "dim") for name in ("artifact", "type", "characters", "shown", "title")]]
    for item in found:
        shown = ("yes" if item["active"] else "no") + (", shared" if item["shared"] else "")
        tags = f"  [{', '.join(item['tags'])}]" if item["tags"] else ""
        cells = (item["id"], item["type"], f"{item['chars']:,}", shown, one_line(item["title"] + tags, 100))
        rows.append([Text(cell) for cell in cells])
    called.screen.lines(in_columns(rows, right=frozenset({2})))


@artifacts.command("show")
def show_artifact(context: typer.Context, artifact: Reference, session: Session = "") -> None:
    """Print the content of an artifact."""
    called = invocation(context)
    with _desk(called, session) as desk:
        found = desk.get(artifact)
    if called.options.as_json:
        called.screen.json(found)
        return
    if called.screen.out.is_terminal:
        called.screen.print(found["content"].rstrip("\n"))
    else:  # into a file or pipe it goes as it is
        sys.stdout.write(found["content"])


@artifacts.command("add")
def add_artifact(
    context: typer.Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What it is called.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="Text in UTF-8; - for standard input.")] = "-",
    session: Session = "",
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="May be given several times.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="For all of one's sessions.")] = False,
) -> None:
    """Put a text on the desk."""
    from entracte.errors import InvalidInput

    called = invocation(context)
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        content = raw.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {reason(error)}.") from None
    with _desk(called, session) as desk:
        made = desk.create(title=title, content=content, tags=tag or [], shared=shared)
    _tell(called, made, "added")


@artifacts.command("edit")
def edit_artifact(context: typer.Context, artifact: Reference, session: Session = "") -> None:
    """Change the content of an artifact in an editor. Refused if somebody else has changed it meanwhile."""
    from entracte.cli.terminal.editor import edited

    called = invocation(context)
    with _desk(called, session) as desk:
        before = desk.get(artifact)
        content = edited(before["content"], suffix=".md")
        if content == before["content"]:
            called.screen.note("Nothing was changed.")
            return
        changed = desk.change(before["id"], content=content, version=before["version"])
    _tell(called, changed, "changed")


@artifacts.command("set")
def set_artifact(
    context: typer.Context,
    artifact: Reference,
    session: Session = "",
    title: Annotated[str | None, typer.Option(metavar="TITLE", help="A new title.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Tags in place of its own; may be given several times.")
    ] = None,
    active: Annotated[bool | None, typer.Option("--show/--hide", help="Whether agents are shown it.")] = None,
) -> None:
    """Change what an artifact is called, its tags, and whether agents are shown it."""
    from entracte.errors import InvalidInput

    called = invocation(context)
    changes: dict[str, Any] = {"title": title, "tags": tag or None, "active": active}
    changes = {name: value for name, value in changes.items() if value is not None}
    if not changes:
        raise InvalidInput("Nothing is to be changed.", remedy="Give --title, --tag, --show or --hide.")
    with _desk(called, session) as desk:
        changed = desk.change(artifact, **changes)
    _tell(called, changed, "changed")


@artifacts.command("delete")
def delete_artifact(context: typer.Context, artifact: Reference, session: Session = "") -> None:
    """Delete an artifact for good."""
    called = invocation(context)
    with _desk(called, session) as desk:
        deleted = desk.delete(artifact)
    _tell(called, deleted, "deleted")


@contextmanager
def _desk(called: Invocation, session: str) -> Iterator[Desk]:
    """The desk of a session, until the end of the block."""
    from entracte.cli.runners.opening import open_records

    with open_records(called.options) as records:
        yield records.desk(session or records.find("")["session"])


def _tell(called: Invocation, artifact: Json, what: str) -> None:
    if called.options.as_json:
        called.screen.json(artifact)
    else:
        called.screen.note(f"{artifact['id']} {what}: {artifact['title']}", style="green")
