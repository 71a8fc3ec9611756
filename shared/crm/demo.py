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
from crm.workplace import move_into, with_model

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
    console.print(_what_this_is(model), "\n", sep="")
    move_into(FOLDER)
    desk = (with_model(network, model, base_url, key) if model else network).using(
        name="crm:network", observers=[Live(console)]
    )
    session = None
    try:
        for question in QUESTIONS:
            console.print(f"▸ {question}", style="bold")
            run = desk.run(question, session=session)
            session = run.session
            console.print(f"◂ {run.raise_for_status().text}\n", style="bold green")
    finally:
        desk.close()
    console.print("What happened is kept. Look at it:\n")
    for command in (f"show {run.id}", f"journal {run.id}", f"run {shlex.quote(QUESTIONS[0])}"):
        console.print(f"  {_entracte()} --network crm:network --store {FOLDER / 'entracte.db'} {command}")


def _what_this_is(model: str) -> str:
    replies = (
        f"{model} replies." if model else "The model's replies are scripted (crm/demo.yaml); everything else is real:"
    )
    return (
        f"A support desk of three agents over a database of 500 customers. {replies}\n"
        "phases, messages, stored documents, tool calls, and the records that the answers quote."
    )


def _entracte() -> str:
    """The command line of this environment, as it is typed here."""
    program = Path(sys.executable).with_name("entracte")
    here = Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)


if __name__ == "__main__":
    typer.run(main)
