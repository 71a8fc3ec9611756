"""``entracte gates``: what waits for a person."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.invocation import invocation

ALL = "all"


def gates(
    context: typer.Context,
    status: Annotated[
        str, typer.Option(metavar="STATUS", help="Such as waiting, approved, denied; all for every one.")
    ] = "waiting",
    run: Annotated[str, typer.Option(metavar="RUN", help="Only gates of this run: its id, or how it begins.")] = "",
) -> None:
    """Show what waits for a decision. What is asked, why, what would be done, how it is decided; the newest last."""
    from entracte.cli.records.finding import find_run, networks_of
    from entracte.cli.runners.opening import open_records
    from entracte.cli.views.gate_view import gate_view

    called = invocation(context)
    _check_status(status)
    with open_records(called.options) as records:
        of_run = find_run(called, records, run)["id"] if run else ""
        found = records.gates(run=of_run, status="" if status == ALL else status)
        networks = networks_of(records, found) if not (called.options.as_json or called.options.url) else {}
    if called.options.as_json:
        called.screen.json({"gates": list(found)})
        return
    if not found:
        called.screen.note("Nothing waits for a decision." if status == "waiting" else "No gate matches.")
    for index, gate in enumerate(found):
        called.screen.print(*([""] if index else []), *gate_view(gate, called, network=networks.get(gate["run"], "")))


def _check_status(status: str) -> None:
    from typing import get_args

    from entracte.core.documents.gate import GateStatus
    from entracte.errors import InvalidInput

    known = (*get_args(GateStatus), ALL)
    if status not in known:
        raise InvalidInput(f"There is no status {status!r}.", remedy=f"Statuses: {', '.join(known)}.")
