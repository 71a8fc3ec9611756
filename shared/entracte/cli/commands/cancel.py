"""``entracte cancel``: end a run that has not ended."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def cancel(
    context: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id, or how it begins.")],
) -> None:
    """Cancel a run: no call is made after it. Calls under way end, and what they did is recorded."""
    from entracte.cli.records.finding import find_run
    from entracte.cli.runners.opening import open_records

    called = invocation(context)
    with open_records(called.options) as records:
        cancelled = records.cancel(find_run(called, records, run)["id"])
    if called.options.as_json:
        called.screen.json(cancelled)
    else:
        called.screen.print(f"Run {cancelled['id']} is {cancelled['status']}.")
