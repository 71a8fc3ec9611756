"""``entracte init``: a manifest from a live server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def init(
    context: typer.Context,
    server: Annotated[str, typer.Argument(metavar="SERVER", help="What the manifest calls it: letters, digits, _, -.")],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND…", help="Starts the server, which speaks MCP on its standard streams."),
    ] = None,
    url: Annotated[str, typer.Option("--at", metavar="URL", help="Address of a server over HTTP, for COMMAND.")] = "",
    header: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="HTTP header for --at; ${VARIABLE} in it is kept as such."),
    ] = None,
    env: Annotated[
        list[str] | None, typer.Option(metavar="VARIABLE", help="Environment variable that the server is given.")
    ] = None,
    manifest: Annotated[Path, typer.Option(metavar="FILE", help="Manifest to write or to add to.")] = Path(
        "policy.yaml"
    ),
) -> None:
    """Write a policy manifest from a live server. Each of its tools gets a rule, to check or to fill in.

    COMMAND is executed now and whenever the manifest is used. What a manifest says already stays as it is, with its
    comments.
    """
    import re

    from entracte.cli.runners.asking import Asked, write_manifest
    from entracte.cli.terminal.quantities import count
    from entracte.core.policy.written_listing import listing_file
    from entracte.errors import InvalidInput

    if bool(command) == bool(url):
        raise InvalidInput("Give either a command after -- or --at URL.", remedy="entracte init files -- COMMAND ARG…")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", server):
        raise InvalidInput(f"{server!r} is no name for a server: letters, digits, _ and - only.")
    pairs = tuple((name, value) for name, _, value in (given.partition("=") for given in header or []))
    asked = Asked(name=server, command=tuple(command or ()), url=url, names=tuple(env or ()), headers=pairs)
    drafted, tools = write_manifest(asked, manifest)
    called = invocation(context)
    if called.options.as_json:
        found = {"finished": drafted.finished, "readonly": drafted.readonly, "left": drafted.left}
        called.screen.json({"manifest": str(manifest), "server": server, "tools": tools, **found})
        return
    called.screen.note(f"{manifest}: server {server} with {count(tools, 'tool')}.", style="green")
    if drafted.finished:
        called.screen.note(f"They match the finished policy for {drafted.finished}: its header says where undo ends.")
    if drafted.readonly:
        called.screen.note(
            f"{count(len(drafted.readonly), 'tool')} readonly, since the server says so: see if it is true."
        )
    if drafted.left:
        called.screen.note(
            f"{count(len(drafted.left), 'tool')} to class, marked TODO: until then each call waits for you."
        )
    called.screen.note(f"What the server offers is written down in {listing_file(str(manifest))}.")
    called.screen.note(f"Next: {called.command('check')} --manifest {manifest}")
