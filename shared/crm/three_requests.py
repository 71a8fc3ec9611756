"""The demo: three requests to the support desk, on this machine, with what happens in between."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer
from rich.console import Console

from crm.live import Live
from crm.network import network
from crm.seed import HOW_MANY
from crm.workplace import FOLDER, clear_away, use, with_model
from entracte.agents import Network
from entracte.errors import EntracteError

REQUESTS = (
    "Which plan is Ada Lovelace on, and since when?",
    "What is Grace Hopper's e-mail address, and has she open invoices?",
    "Move Ada to Pro, fix Grace's email, remove the duplicate of Alan, mail Ada about it",
)

PIPE_WIDTH = 100
"""Columns where nobody's terminal says how many there are."""


def demonstrate(
    model: Annotated[str, typer.Option(help="provider/name of a real model, such as openai/qwen3.")] = "",
    base_url: Annotated[str, typer.Option(help="Where the model is served.")] = "",
    key: Annotated[str, typer.Option(help="Secret (here: environment variable) that holds the model's key.")] = "",
) -> None:
    """Ask the support desk for three things and watch it work."""
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
    try:
        moved = clear_away(FOLDER)
        use(FOLDER)
        console.print(_what_this_is(model), end="\n\n")
        if moved is not None:
            console.print(f"What was in {FOLDER} before is in {moved} now.", style="dim", end="\n\n")
        desk = (with_model(network, model, base_url, key) if model else network).using(
            name="crm:network", observers=[Live(console)]
        )
        try:
            waits = _converse(desk, console)
        finally:
            desk.close()
    except EntracteError as error:
        console.print(str(error), style="red")
        raise typer.Exit(1) from None
    _say_what_next(console, waits, shlex.join([*(["--model", model] if model else []), *_served(base_url)]))


def _converse(desk: Network, console: Console) -> bool:
    """Make all requests in one session; whether the last of them waits for a person."""
    session, waits = None, False
    for request in REQUESTS:
        console.print(f"▸ {request}", style="bold")
        run = desk.run(request, session=session)
        waits = run.status == "waiting"
        if waits:
            console.print("◂ It waits for a person. Nothing runs now.", style="bold yellow", end="\n\n")
        else:
            answer = fill(f"◂ {run.raise_for_status().text}", console.width, subsequent_indent="  ")
            console.print(answer, style="bold green", end="\n\n")
        session = run.session
    return waits


def _say_what_next(console: Console, waits: bool, model: str) -> None:
    """Commands that run as they are printed, in this order."""
    if waits:
        console.print("What came before is done, and kept. Look at what waits, approve it, and take all of it back:\n")
        commands = ["gates", f"approve --by you {model}".strip(), "undo --dry-run", "undo -y"]
    else:
        console.print("All of it is kept: documents, journal, state. Look, and take it back:\n")
        commands = ["list", "show", "undo --dry-run", "undo -y"]
    for command in commands:
        console.print(f"  {_entracte()} {command}", soft_wrap=True)


def _what_this_is(model: str) -> str:
    replies = f"{model} replies as the model." if model else "The model's replies are scripted (crm/demo.yaml)."
    return (
        f"A support desk of three agents over a database of {HOW_MANY} customers.\n{replies} Everything else is real:\n"
        "phases and messages, stored documents, tool calls, and the records that the answers quote."
    )


def _served(base_url: str) -> list[str]:
    return ["--base-url", base_url] if base_url else []


def _entracte() -> str:
    """The command line of this environment, as it is typed here."""
    program = Path(sys.executable).with_name("entracte")
    here = Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)
