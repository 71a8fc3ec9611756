"""The commands and the options that they share."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from entracte.cli.commands import (
    answer,
    approve,
    artifacts,
    cancel,
    chat,
    check,
    cost,
    deny,
    dev,
    doctor,
    erase,
    export,
    fork,
    gates,
    init,
    journal,
    letters,
    list_runs,
    memories,
    new,
    package,
    proxy,
    resume,
    retry,
    run,
    show,
    undo,
    watch,
)
from entracte.cli.invocation import Invocation
from entracte.cli.logs import set_up_log
from entracte.cli.options import Options
from entracte.cli.terminal.screen import Screen

LogLevel = Literal["debug", "info", "warning", "error"]

app = typer.Typer(
    name="entracte",
    help="Run AI agents, and look at what they did. Shared options may stand before or after the command.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"entracte {version('entracte')}")
        raise typer.Exit


@app.callback()
def shared(
    context: typer.Context,
    url: Annotated[str, typer.Option(metavar="URL", help="Address of a deployed API; without it, this machine.")] = "",
    token: Annotated[
        str, typer.Option(metavar="TOKEN", help="Bearer token for --url (else ENTRACTE_TOKEN).", show_default=False)
    ] = "",
    network: Annotated[
        str,
        typer.Option(
            metavar="MODULE:NAME", help="Network that runs (else ENTRACTE_NETWORK, else the sample, crm:network)."
        ),
    ] = "",
    store: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="SQLite file that keeps runs (else ENTRACTE_STORE, else the nearest .entracte/ with one, in this "
            "folder or above it, else a new one here).",
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output and nothing else.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version, and end.", callback=_print_version, is_eager=True)
    ] = False,
    log_level: Annotated[
        LogLevel, typer.Option(help="Of the log on standard error; debug shows tracebacks.")
    ] = "warning",
) -> None:
    """Read the shared options and set up the log."""
    options = Options(url=url, token=token, network=network, store=store, as_json=as_json)
    context.obj = Invocation(options, Screen())
    set_up_log(context.obj.screen, log_level)


app.command("chat")(chat.chat)
app.command("run")(run.run)
app.command("list")(list_runs.list_runs)
app.command("show")(show.show)
app.command("cost")(cost.cost)
app.command("journal")(journal.journal)
app.command("watch")(watch.watch)
app.command("gates")(gates.gates)
app.command("approve")(approve.approve)
app.command("deny")(deny.deny)
app.command("answer")(answer.answer)
app.command("cancel")(cancel.cancel)
app.command("resume")(resume.resume)
app.command("retry")(retry.retry)
app.command("fork")(fork.fork)
app.command("undo")(undo.undo)
app.add_typer(artifacts.artifacts, name="artifacts")
app.add_typer(memories.memories, name="memories")
app.command("export")(export.export)
app.command("load")(export.load)
app.command("init")(init.init)
app.command("check")(check.check)
app.command("new")(new.new)
app.command("package")(package.package)
app.command("erase")(erase.erase)
app.command("letters")(letters.letters)
app.command("doctor")(doctor.doctor)
app.command("proxy")(proxy.proxy)
app.command("dev", add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})(
    dev.dev
)
