"""What is said once a run has ended or waits: its answer, why there is none, and where to look next."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.text import Text

from entracte.cli.failures import FAILED, WAITING
from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.records.tally import Tally
from entracte.cli.runners.model_choice import NETWORKS_OWN, ModelChoice
from entracte.cli.runners.opening import is_kept
from entracte.cli.runners.runner import Runner
from entracte.cli.terminal.plain_text import json_text, one_line, plain
from entracte.cli.terminal.quantities import count, seconds
from entracte.cli.views.cost_words import closing_cost
from entracte.cli.views.gate_names import commands_for
from entracte.core.modelling import Usage

STATUS_STYLES = {
    "queued": "dim",
    "running": "cyan",
    "waiting": "bold yellow",
    "stalled": "bold yellow",
    "succeeded": "green",
    "failed": "red",
    "cancelled": "yellow",
    "undoing": "cyan",
    "undone": "cyan",
    "partial": "bold yellow",
}


def exit_code_of(run: Json) -> int:
    """0 answered, 3 waiting for a person, 1 anything else."""
    match run["status"]:
        case "succeeded":
            return 0
        case "waiting":
            return WAITING
        case _:
            return FAILED


def answer_text(output: Any) -> str:
    """The final value for people: text as it is, anything else as indented JSON."""
    return plain(output) if isinstance(output, str) else json_text(output, indent=2)


def status_text(run: Json) -> Text:
    """The status, and the reason where it says more."""
    reason = run["stop_reason"]
    more = "" if reason in ("", "answered", run["status"]) else f" ({reason})"
    return Text(f"{run['status']}{more}", STATUS_STYLES.get(run["status"], ""))


def took(run: Json) -> str:
    """Time from the run's creation to its last change."""
    length = datetime.fromisoformat(run["updated"]) - datetime.fromisoformat(run["created"])
    return seconds(length.total_seconds())


def closing_line(invocation: Invocation, run: Json, tally: Tally) -> Text:
    """Id, status, what it used, and the command that shows more."""
    used = [count(tally.steps, "step"), count(tally.calls, "call")]
    if run["stop_reason"]:  # an open run has not added up its tokens yet
        usage = Usage(**{name: run["usage"][name] for name in Usage.__struct_fields__ if name in run["usage"]})
        used.append(count(usage.tokens, "token"))
        if cost := closing_cost(usage):
            used.append(cost)
    used.append(took(run))
    line = Text.assemble((f"run {run['id']} ", "dim"), status_text(run), (f" · {' · '.join(used)}", "dim"))
    if is_kept(invocation.options):
        line.append(" · ", "dim").append(invocation.command(f"show {run['id'][:8]}"))
    return line


def say_end(invocation: Invocation, runner: Runner, run: Json, choice: ModelChoice = NETWORKS_OWN) -> None:
    """Answer or error, then the closing line, then what waits for a person; as JSON, the run with what waits.

    Args:
        choice: Model that the run was asked with; it must not go on with another.
    """
    screen = invocation.screen
    waiting = runner.records.gates(run=run["id"], status="waiting") if run["status"] == "waiting" else ()
    if invocation.options.as_json:
        screen.json({**run, "gates": list(waiting)})
        return
    if run["output"] is not None:
        screen.gap()
        screen.print(answer_text(run["output"]))
        screen.gap()
    if run["error"]:
        screen.fail(one_line(run["error"]))
    screen.note(closing_line(invocation, run, runner.tally(run["id"])), style="")
    if is_kept(invocation.options):
        if run["status"] == "stalled":
            screen.note("  " + invocation.command(f"resume {run['id'][:8]}{choice.words}"), style="")
        for gate in waiting:
            screen.note(Text(f"? {one_line(gate['question'])}", "bold yellow"), style="")
            for command in commands_for(gate, invocation, choice):
                screen.note(f"  {command}", style="")
