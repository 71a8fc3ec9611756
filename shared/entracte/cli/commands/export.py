"""``entracte export`` and ``entracte load``: a session as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from entracte.cli.failures import reason
from entracte.cli.invocation import invocation


def export(
    context: typer.Context,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Id of the session.")],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON file to write; SESSION.json by default, with --json none.")
    ] = "",
) -> None:
    """Write a session into a file. It holds messages, summary, state and papers."""
    from entracte.cli.records.export_file import write_export
    from entracte.cli.runners.opening import open_records

    called = invocation(context)
    with open_records(called.options) as records:
        found = records.export(session)
    name = write_export(called, found, file, default=f"{session}.json")
    if not called.options.as_json:
        called.screen.note(f"Session {session} written to {name}.", style="green")


def load(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON file that export has written.")],
    session: Annotated[str, typer.Option(metavar="ID", help="Id of the new session; one is made up by default.")] = "",
) -> None:
    """Make a session of an exported file. It can be gone on with."""
    from entracte.cli.runners.opening import open_records
    from entracte.errors import InvalidInput

    called = invocation(context)
    try:
        data = json.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read: {reason(error)}.") from None
    if not isinstance(data, dict):
        raise InvalidInput(f"{file} holds no session.", code="no_session")
    with open_records(called.options, new=True) as records:
        id = records.load(data, session)
    if called.options.as_json:
        called.screen.json({"session": id})
    else:
        called.screen.note(f"Session {id} loaded. Go on: {called.command(f'chat --session {id}')}", style="green")
