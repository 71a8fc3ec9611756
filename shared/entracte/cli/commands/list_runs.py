"""``entracte list``: the latest runs."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from entracte.cli.invocation import invocation

if TYPE_CHECKING:
    from rich.text import Text

    from entracte.cli.records.records import Json

PAGE = 20
MAX_RUNS = 200


def list_runs(
    context: typer.Context,
    status: Annotated[str, typer.Option(metavar="STATUS", help="Only runs of this status, such as waiting.")] = "",
    agent: Annotated[str, typer.Option(metavar="NAME", help="Only runs that started at this agent.")] = "",
    session: Annotated[str, typer.Option(metavar="ID", help="Only runs of this session.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=MAX_RUNS, help="Most runs to show.")] = PAGE,
    after: Annotated[str, typer.Option(metavar="CURSOR", help="Go on after a page, as the hint below it says.")] = "",
) -> None:
    """Show the latest runs, newest first."""
    from entracte.cli.runners.opening import open_records, store_above
    from entracte.cli.terminal.columns import in_columns

    called = invocation(context)
    _check_status(status)
    given = {"status": status, "agent": agent, "session": session}
    filters = {name: value for name, value in given.items() if value}
    with open_records(called.options) as records:
        page = records.page(filters, limit=limit, after=after)
    if called.options.as_json:
        called.screen.json({"runs": list(page.runs), "after": page.after or None})
        return
    if not (page.runs or page.after):
        called.screen.note("No runs." if not (filters or after) else "No run matches.")
        return
    called.screen.lines(in_columns(_rows(page.runs), right=frozenset({4})))
    if above := store_above(called.options):
        called.screen.note(f"Kept in {above}, the nearest store above this folder.")
    if page.after:
        again = filters | ({"limit": str(limit)} if limit != PAGE else {}) | {"after": page.after}
        words = " ".join(f"--{name} {shlex.quote(value)}" for name, value in again.items())
        called.screen.note(f"There may be more: {called.command(f'list {words}')}")


def _rows(runs: tuple[Json, ...]) -> list[list[Text]]:
    """The head, then a row for each run. Networks are named where there are several."""
    from rich.text import Text

    from entracte.cli.terminal.plain_text import one_line
    from entracte.cli.terminal.quantities import age
    from entracte.cli.views.run_end import status_text

    now = datetime.now(UTC)
    several = len({run["network"] for run in runs}) > 1
    heads = ("run", "status", "age", "agent", "tokens", *(("network",) if several else ()), "asked")
    rows = [[Text(name, "dim") for name in heads]]
    for run in runs:
        # An open run has not added up its tokens yet.
        tokens = f"{run['usage']['tokens']:,}" if run["stop_reason"] else ""
        made = age(datetime.fromisoformat(run["created"]), now)
        network = (one_line(run["network"], 40),) if several else ()
        id, *rest = map(Text, (run["id"][:8], made, one_line(run["agent"], 24), tokens, *network, _asked(run)))
        rows.append([id, status_text(run), *rest])
    return rows


def _asked(run: Json) -> str:
    """First words of what was asked."""
    from entracte.cli.terminal.plain_text import one_line, value_line

    match run["input"]:
        case {"message": str(text)}:
            return one_line(text, 80)
        case value:
            return value_line(value, 80)


def _check_status(status: str) -> None:
    from typing import get_args

    from entracte.core.documents.run import Status
    from entracte.errors import InvalidInput

    if status and status not in get_args(Status):
        raise InvalidInput(f"There is no status {status!r}.", remedy=f"Statuses: {', '.join(get_args(Status))}.")
