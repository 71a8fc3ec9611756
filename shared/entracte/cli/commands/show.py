"""``entracte show``: what a run did."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.commands.parameters import Run
from entracte.cli.invocation import invocation


def show(
    context: typer.Context,
    run: Run = "",
    step: Annotated[str, typer.Option(metavar="N", help="One step in full, named as the overview names it.")] = "",
) -> None:
    """Show what a run did. Its agents' steps with their calls, the state, the errors, the answer."""
    from entracte.cli.records.finding import find_run
    from entracte.cli.records.report import read_report
    from entracte.cli.runners.opening import open_records
    from entracte.cli.views.run_view import run_view
    from entracte.cli.views.step_view import step_json, step_view

    called = invocation(context)
    with open_records(called.options) as records:
        report = read_report(records, find_run(called, records, run))
    if called.options.as_json:
        called.screen.json(step_json(report, step) if step else report.as_json())
    else:
        called.screen.print(*(step_view(report, step) if step else run_view(report)))
