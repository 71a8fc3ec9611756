"""``entracte cost``: what a run costs, its model and the cloud around it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict

from entracte.cli.commands.parameters import Run
from entracte.cli.invocation import invocation


def cost(
    context: typer.Context,
    run: Run = "",
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Google Cloud's prices, for another region or another day.")
    ] = None,
) -> None:
    """Say what a run costs. Its tokens; and documents, messages and processor time, as functions would be charged.

    An estimate from the run's journal. Waiting for the model is a line of its own.
    """
    from msgspec import to_builtins

    from entracte.cli.records.finding import find_run
    from entracte.cli.records.report import read_report
    from entracte.cli.runners.opening import open_records
    from entracte.cli.views.bill_view import bill_view, lines_of
    from entracte.runtime.cloud_pricing import read_cloud_prices

    called = invocation(context)
    known = read_cloud_prices(prices)
    with open_records(called.options) as records:
        report = read_report(records, find_run(called, records, run))
    if called.options.as_json:
        lines = [to_builtins(line) for line in lines_of(report, known)]
        called.screen.json(
            {"run": report.run["id"], "usage": asdict(report.usage), "as_of": known.as_of, "cloud": lines}
        )
        return
    called.screen.print(*bill_view(report, known))
