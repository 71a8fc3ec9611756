"""What several commands are given."""

from __future__ import annotations

from typing import Annotated

import typer

Run = Annotated[str, typer.Argument(metavar="RUN", help="Id, or how it begins; the newest run by default.")]
Session = Annotated[str, typer.Option(metavar="ID", help="Conversation to go on with; without it, a new one.")]
Agent = Annotated[str, typer.Option(metavar="NAME", help="Agent to start at; without it, the network's entry.")]
Route = Annotated[str, typer.Option(metavar="NAME", help="Route of the network's router, in place of its choice.")]
Model = Annotated[str, typer.Option(metavar="PROVIDER/NAME", help="Model in place of the network's.")]
BaseUrl = Annotated[str, typer.Option(metavar="URL", help="Where that model is served.")]
