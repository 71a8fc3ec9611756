"""``python -m crm.demo``: two questions to the support desk, on this machine, with what happens in between."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from crm.live import Live
from crm.network import network
from crm.seed import HOW_MANY
from crm.workplace import move_into, with_model
from entracte.agents import Network
from entracte.errors import EntracteError

QUESTIONS = (
    "Which plan is Ada Lovelace on, and since when?",
    "What is Grace Hopper's e-mail address, and has she open invoices?",
)

FOLDER = Path(".entracte/demo")


def main(
    model: Annotated[str, typer.Option(help="provider/name of a real model, such as openai/qwen3.")] = "",
    base_url: Annotated[str, typer.Option(help="Where the model is served.")] = "",
    key: Annotated[str, typer.Option(help="Secret (here: environment variable) that holds the model's key.")] = "",
) -> None:
    """Ask the support desk two questions and watch it work."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(_what_this_is(model), end="\n\n")
    move_into(FOLDER)
    desk = (with_model(network, model, base_url, key) if model else network).using(
        name="crm:network", observers=[Live(console)]
    )
    try:
        _converse(desk, console)
    except EntracteError as error:
        console.print(str(error), style="red")
        raise typer.Exit(1) from None
    finally:
        desk.close()
    console.print("All of it is kept: documents, journal, state. The next commands:\n")
    for command in ("list", "show", "journal", f"run {shlex.quote(QUESTIONS[0])}"):
        console.print(f"  {_entracte()} --store {FOLDER / 'entracte.db'} {command}")


def _converse(desk: Network, console: Console) -> None:
    session = None
    for question in QUESTIONS:
        console.print(f"▸ {question}", style="bold")
        run = desk.run(question, session=session)
        console.print(f"◂ {run.raise_for_status().text}", style="bold green", end="\n\n")
        session = run.session


def _what_this_is(model: str) -> str:
    replies = f"{model} replies as the model." if model else "The model's replies are scripted (crm/demo.yaml)."
    return (
        f"A support desk of three agents over a database of {HOW_MANY} customers.\n{replies} Everything else is real: "
        "phases and messages, stored documents,\ntool calls, and the records that the answers quote."
    )


def _entracte() -> str:
    """The command line of this environment, as it is typed here."""
    program = Path(sys.executable).with_name("entracte")
    here = Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)


if __name__ == "__main__":
    typer.run(main)
