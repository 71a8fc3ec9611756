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
from entracte.cli.terminal.keyboard import agrees, at_keyboard
from entracte.cli.undo.rehearsing import rehearse
from entracte.cli.views.run_end import status_text
from entracte.cli.views.undo_view import summary, undo_view

NOTHING = "there is nothing to take back"


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
        if called.options.as_json:
            called.screen.json({"run": run, "dry_run": False, "steps": []})
        else:
            called.screen.note(f"Run {run['id']} is undone already. Nothing was done.", style="")
        return 0
    asks = not yes and at_keyboard(called)
    plan: list[UndoRow] = []
    if asks or called.options.url:  # behind an API there is nothing but the journal, which has no inverse calls
        plan = rehearse(called, run, to=extent.to, replan=extent.replan)
        if asks and not _agreed(called, run, plan):
            return FAILED
    return _undo(called, run, extent, plan)


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
    if run["status"] in ("queued", "running", "waiting", "stalled"):
        called.screen.note(f"The run is {run['status']}: it is cancelled first.", style="yellow")
    if agrees(called.screen, "Put this back?"):
        return True
    called.screen.note("Nothing was done.", style="")
    return False


def _show_plan(called: Invocation, run: Json, rows: Sequence[UndoRow]) -> None:
    called.screen.print(*undo_view(run["id"], rows))
    called.screen.note(f"run {run['id']} · dry run · {summary(rows) or NOTHING}")


def _say_end(called: Invocation, run: Json, rows: Sequence[UndoRow]) -> None:
    line = Text.assemble((f"run {run['id']} ", "dim"), status_text(run))
    line.append(f" · {summary(rows) or NOTHING} · ", "dim")
    called.screen.note(line.append(called.command(f"show {run['id'][:8]}")), style="")
    if any(row.verdict == "stopped" for row in rows):
        again = called.command(f"undo {run['id'][:8]}")
        called.screen.note(f"Once what it stopped at is as expected, it goes on: {again}")
