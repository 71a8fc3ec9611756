"""``entracte memories``: what is remembered of oneself, from all conversations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from entracte.cli.failures import FAILED
from entracte.cli.invocation import Invocation, invocation
from entracte.cli.options import Options

if TYPE_CHECKING:
    from entracte.cli.records.recollections import Recollections

memories = typer.Typer(
    help="List, show, export, forget what is remembered of you.", no_args_is_help=True, rich_markup_mode=None
)

MemoryId = Annotated[str, typer.Argument(metavar="MEMORY", help="Id of a memory.")]


@memories.command("list")
def list_memories(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=200, metavar="N", help="How many at most.")] = 50,
) -> None:
    """List what is remembered, the latest first."""
    from rich.text import Text

    from entracte.cli.terminal.columns import in_columns
    from entracte.cli.terminal.plain_text import one_line

    called = invocation(context)
    with _recollections(called.options) as kept:
        found = kept.list(limit=limit)
    if called.options.as_json:
        called.screen.json({"memories": list(found)})
        return
    if not found:
        called.screen.note("Nothing is remembered.")
        return
    rows = [[Text(name, "dim") for name in ("memory", "date", "category", "text")]]
    for item in found:
        tags = f"  [{', '.join(item['tags'])}]" if item["tags"] else ""
        cells = (item["id"], item["date"], item["category"], one_line(item["text"] + tags, 200))
        rows.append([Text(cell) for cell in cells])
    called.screen.lines(in_columns(rows))


@memories.command("show")
def show_memory(context: typer.Context, memory: MemoryId) -> None:
    """Print one memory."""
    called = invocation(context)
    with _recollections(called.options) as kept:
        found = kept.get(memory)
    if called.options.as_json:
        called.screen.json(found)
    else:
        called.screen.print(found["text"])


@memories.command("export")
def export_memories(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON file to write; memories.json by default, with --json none.")
    ] = "",
) -> None:
    """Write everything that is remembered into a file."""
    from entracte.cli.records.export_file import write_export

    called = invocation(context)
    with _recollections(called.options) as kept:
        found = kept.everything()
    name = write_export(called, found, file, default="memories.json")
    if called.options.as_json:
        return
    called.screen.note(f"Memories written to {name}: {len(found['memories'])}.", style="green")
    if left_out := found.get("unreadable"):  # an older service does not say
        called.screen.note(f"Left out, since they cannot be read: {left_out}.", style="yellow")


@memories.command("forget")
def forget_memories(
    context: typer.Context,
    memory: Annotated[str, typer.Argument(metavar="MEMORY", help="Id of a memory.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Everything that is remembered. Asks first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Delete a memory, or all of them, for good."""
    from entracte.errors import InvalidInput

    called = invocation(context)
    if bool(memory) == everything:
        raise InvalidInput("Say what is to be forgotten.", remedy="Give the id of a memory, or --all.")
    if everything and not (yes or _agreed(called)):
        called.screen.note("Nothing was forgotten.", style="")
        raise typer.Exit(FAILED)
    with _recollections(called.options) as kept:
        if everything:
            count = kept.forget_all()
            if called.options.as_json:
                called.screen.json({"forgotten": count})
            else:
                called.screen.note(f"Memories forgotten: {count}.", style="green")
            return
        gone = kept.forget(memory)
    if called.options.as_json:
        called.screen.json(gone)
    else:
        called.screen.note(f"{gone['id']} forgotten.", style="green")


def _agreed(called: Invocation) -> bool:
    """Whether the person at the keyboard wants everything to be forgotten.

    Raises:
        InvalidInput: There is nobody to ask.
    """
    from entracte.cli.terminal.keyboard import agrees, need_somebody

    need_somebody(
        called,
        "--all deletes everything that is remembered, for good",
        remedy=f"{called.command('memories export')} keeps a copy.",
    )
    return agrees(called.screen, "Forget everything that is remembered of you, for good?")


@contextmanager
def _recollections(options: Options) -> Iterator[Recollections]:
    """What is remembered, until the end of the block."""
    from entracte.cli.runners.opening import open_records

    with open_records(options) as records:
        yield records.memories()
