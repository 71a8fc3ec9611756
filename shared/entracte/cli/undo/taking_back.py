"""Taking a run back: what would be done, whether it should be, how it goes, what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from rich.text import Text

from entracte.cli.failures import FAILED
from entracte.cli.invocation import Invocation
from entracte.cli.records.finding import find_run
from entracte.cli.records.records import Json
from entracte.cli.records.undo_row import UndoRow, is_whole, rows_of_journal, with_inverses
from entracte.cli.runners.opening import open_records
from entracte.cli.runs.command_runner import runner_open, say_interrupted
from entracte.cli.runs.progress import progress_of
from entracte.cli.terminal.keyboard import agrees, need_somebody
from entracte.cli.undo.rehearsing import rehearse
from entracte.cli.views.run_end import status_text
from entracte.cli.views.undo_view import summary, undo_view

NOTHING = "there is nothing to take back"

_OPEN = frozenset({"queued", "running", "waiting", "stalled"})
_ENDED = frozenset({"succeeded", "failed", "cancelled"})
"""Never undone, not even in part."""

_WITHOUT_EFFECT = frozenset({"proposed", "failed", "blocked", "denied", "expired", "cancelled"})
"""Statuses of calls that have changed nothing for sure."""


class Extent(Struct, frozen=True, kw_only=True):
    """How far an undo goes.

    Attributes:
        to: Action at which it ends, inclusive, as it was named; empty for the whole run.
        replan: Inverses are resolved again, with the policy of today.
    """

    to: str = ""
    replan: bool = False

    def within(self, run: str) -> Extent:
        """The same with the action's whole id."""
        head, dot, rest = self.to.partition(".")
        if not self.to or self.to.startswith(f"{run}."):
            return self
        is_short = bool(dot) and len(head) >= 8 and run.startswith(head)
        return Extent(to=f"{run}.{rest if is_short else self.to}", replan=self.replan)


def dry_run(called: Invocation, reference: str, extent: Extent) -> int:
    """Show what an undo would do; the exit code that it would have."""
    with open_records(called.options) as records:
        run = find_run(called, records, reference)
    extent = extent.within(run["id"])
    rows = rehearse(called, run, to=extent.to, replan=extent.replan)
    if called.options.as_json:
        called.screen.json({"run": run, "dry_run": True, "steps": [row.as_json() for row in rows]})
    else:
        _show_plan(called, run, rows)
    return 0 if is_whole(rows) else FAILED


def undo_run(called: Invocation, reference: str, extent: Extent, *, yes: bool) -> int:
    """Take a run back; 0 when all of it is as before, else 1.

    Args:
        yes: Do not ask first.
    """
    with open_records(called.options) as records:
        run = find_run(called, records, reference)
    extent = extent.within(run["id"])
    if run["status"] == "undone":
        return _say_nothing(called, run, "is undone already")
    if not yes:
        need_somebody(called, f"Run {run['id']} would be taken back", remedy="--dry-run shows what would be done.")
    rehearsed = not yes or bool(called.options.url)  # an API's journal has no inverse calls: they are of the rehearsal
    plan = rehearse(called, run, to=extent.to, replan=extent.replan) if rehearsed else []
    if run["status"] in _ENDED and not extent.to and not (plan if rehearsed else _has_effects(called, run)):
        return _say_nothing(called, run, f"is {run['status']}, and has changed nothing that could be taken back")
    if not yes and not _agreed(called, run, plan):
        return FAILED
    return _undo(called, run, extent, plan)


def _has_effects(called: Invocation, run: Json) -> bool:
    """Whether a call of it may have changed something."""
    with open_records(called.options) as records:
        actions = records.details(run["id"]).actions
    return any(
        action["kind"] == "tool" and action["effect"] != "readonly" and action["status"] not in _WITHOUT_EFFECT
        for action in actions
    )


def _say_nothing(called: Invocation, run: Json, what: str) -> int:
    """Say why nothing was done; the exit code."""
    if called.options.as_json:
        called.screen.json({"run": run, "dry_run": False, "steps": []})
    else:
        called.screen.note(f"Run {run['id']} {what}. Nothing was done.", style="")
    return 0


def _undo(called: Invocation, run: Json, extent: Extent, plan: Sequence[UndoRow]) -> int:
    progress = progress_of(called)
    with runner_open(called, progress, run=run) as runner:
        try:
            with progress.following(run["id"]):
                runner.undo(run["id"], to=extent.to, replan=extent.replan)
                run = runner.wait(run["id"])
                progress.catch_up(run)
        except KeyboardInterrupt:
            return say_interrupted(called, run["id"])
        details = runner.records.details(run["id"])
    rows = with_inverses(rows_of_journal(details.journal, details.actions), plan)
    if called.options.as_json:
        called.screen.json({"run": run, "dry_run": False, "steps": [row.as_json() for row in rows]})
    else:
        called.screen.gap()
        called.screen.print(*undo_view(run["id"], rows))
        _say_end(called, run, rows)
    return 0 if run["status"] == "undone" else FAILED


def _agreed(called: Invocation, run: Json, rows: Sequence[UndoRow]) -> bool:
    _show_plan(called, run, rows)
    if agrees(called.screen, "Put this back?"):
        return True
    called.screen.note("Nothing was done.", style="")
    return False


def _show_plan(called: Invocation, run: Json, rows: Sequence[UndoRow]) -> None:
    called.screen.print(*undo_view(run["id"], rows))
    called.screen.note(f"run {run['id']} · dry run · {summary(rows) or NOTHING}")
    if run["status"] in _OPEN:
        gates = ", with the gates that it waits at" if run["status"] == "waiting" else ""
        called.screen.note(f"The run is {run['status']}: an undo cancels it first{gates}.", style="yellow")


def _say_end(called: Invocation, run: Json, rows: Sequence[UndoRow]) -> None:
    line = Text.assemble((f"run {run['id']} ", "dim"), status_text(run))
    line.append(f" · {summary(rows) or NOTHING} · ", "dim")
    called.screen.note(line.append(called.command(f"show {run['id'][:8]}")), style="")
    if any(row.verdict == "stopped" for row in rows):
        again = called.command(f"undo {run['id'][:8]}")
        called.screen.note(f"Once what it stopped at is as expected, it goes on: {again}")
