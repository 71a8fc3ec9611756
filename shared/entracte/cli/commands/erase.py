"""``entracte erase``: delete all that is kept of somebody."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from entracte.cli.invocation import Invocation, invocation

if TYPE_CHECKING:
    from entracte.cli.records.upkeep import Json, Upkeep

NAMES = {
    "chunks": "parts of large values",
    "items": "memories",
    "journal": "journal entries",
    "latest_calls": "latest calls of MCP clients",
    "live": "texts being written",
    "memories": "indexes of memories",
    "sealed": "masked values",
    "spending": "accounts of spending",
}
"""Collections whose names say little."""

KEPT = (
    "Not touched: what runs did in other systems. To take that back, undo them first: {undo}",
    "Nor their name where they decided about others' runs; nor letters, logs, queues, backups, which go in their time.",
)


def erase(
    context: typer.Context,
    owner: Annotated[str, typer.Argument(metavar="OWNER", help="Whose: e-mail or user id, as runs have it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without, say what would be deleted.")] = False,
) -> None:
    """Delete all that is kept of somebody, for good; for operators. Says first what that is: --yes does it.

    Runs with their frames, actions, journals and gates; conversations, papers, memories, masked values. Refused while a
    run of theirs is open. It may be broken off and repeated.
    """
    from entracte.cli.runners.opening import open_records

    called = invocation(context)
    with open_records(called.options) as records:
        found = _to_the_end(records.upkeep(), owner) if yes else records.upkeep().erase(owner, dry_run=True)
    if called.options.as_json:
        called.screen.json(found)
        return
    _print(called, found)


def _to_the_end(upkeep: Upkeep, owner: str) -> Json:
    """Ask until nothing is left. Each time something goes, or nothing was left to go."""
    from collections import Counter

    from entracte.errors import RetryableError

    counts: Counter[str] = Counter()
    while True:
        found = upkeep.erase(owner, dry_run=False)
        counts.update(found["counts"])
        if found["complete"]:
            return {**found, "counts": dict(sorted(counts.items()))}
        if not found["counts"]:
            raise RetryableError("Nothing could be deleted in 20 seconds.", remedy="Try again later.", code="too_slow")


def _print(called: Invocation, found: Json) -> None:
    from rich.text import Text

    from entracte.cli.terminal.columns import in_columns
    from entracte.cli.terminal.quantities import count

    owner, total = found["owner"], sum(found["counts"].values())
    if not total:
        called.screen.note(f"Nothing is kept of {owner}.")
        return
    least = "" if found["complete"] else "at least "
    what = f"{least}{count(total, 'document')}"
    called.screen.print(f"Kept of {owner}: {what}." if found["dry_run"] else f"Deleted of {owner}: {what}.")
    rows = [[Text(f"  {NAMES.get(kind, kind)}"), Text(f"{number:,}")] for kind, number in found["counts"].items()]
    called.screen.lines(in_columns(rows, right=frozenset({1})))
    for line in KEPT:
        called.screen.note(line.format(undo=called.command("undo RUN")))
    for run in found["open"]:
        called.screen.note(f"Open, or with calls under way; to be cancelled first: {called.command(f'cancel {run}')}")
    if found["dry_run"]:
        called.screen.note(f"Nothing was deleted. To do it: {called.command(f'erase {shlex.quote(owner)} --yes')}")
