"""``entracte journal``: what each commit of a run did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from entracte.cli.commands.parameters import Run
from entracte.cli.invocation import invocation

if TYPE_CHECKING:
    pass


def journal(
    context: typer.Context,
    run: Run = "",
) -> None:
    """Show a run's journal: a line for each move. With --json, an entry on each line."""
    from entracte.cli.records.finding import find_run
    from entracte.cli.runners.opening import open_records
    from entracte.cli.views.journal_line import journal_line

    called = invocation(context)
    with open_records(called.options) as records:
        for entry in records.journal(find_run(called, records, run)["id"]):
            if called.options.as_json:
                called.screen.json(entry)
            else:
                called.screen.lines([journal_line(entry)])
