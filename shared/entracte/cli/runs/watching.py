"""Looking at a run while others bring it forward."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from rich.console import RenderableType
from rich.live import Live
from rich.text import Text

from entracte.cli.failures import INTERRUPTED
from entracte.cli.invocation import Invocation
from entracte.cli.records.finding import find_run
from entracte.cli.records.report import Report, read_report
from entracte.cli.runners.opening import open_records
from entracte.cli.terminal.plain_text import one_line
from entracte.cli.terminal.quantities import age, count
from entracte.cli.terminal.tail import Tail
from entracte.cli.views.event_lines import event_lines
from entracte.cli.views.gate_view import gate_view
from entracte.cli.views.run_end import answer_text, exit_code_of, status_text, took
from entracte.cli.views.run_view import frame_tree

_MOVES = {"queued", "running", "waiting", "stalled", "undoing"}
"""Status of a run that may look different in a moment."""

_BESIDE_THE_TREE = {"thought", "tool.progress", "state.updated", "artifact.saved", "error"}
_LATEST = 6
_AGENT_COLUMNS = 18

_PAUSE_HERE_S = 0.5
_PAUSE_BEHIND_API_S = 2.0


def watch_run(called: Invocation, reference: str) -> int:
    """Show a run until it ends, or once where nobody looks; the exit code, as of `entracte run`."""
    screen = called.screen
    pause_s = _PAUSE_BEHIND_API_S if called.options.url else _PAUSE_HERE_S
    with open_records(called.options) as records:
        run = find_run(called, records, reference)
        report = read_report(records, run)
        if called.options.as_json:
            screen.json(report.as_json())
            return exit_code_of(report.run)
        if screen.out.is_terminal:
            try:
                with Live(console=screen.out, auto_refresh=False, transient=True) as live:
                    while report.run["status"] in _MOVES:
                        live.update(Tail(_head(report), [*_body(report, called)]), refresh=True)
                        time.sleep(pause_s)
                        report = read_report(records, records.find(run["id"]))
            except KeyboardInterrupt:
                return INTERRUPTED
    screen.print(_head(report), *_body(report, called))
    return exit_code_of(report.run)


def _head(report: Report) -> Text:
    run, tally = report.run, report.tally
    used = [count(tally.steps, "step"), count(tally.calls, "call"), count(report.usage.tokens, "token")]
    made = datetime.fromisoformat(run["created"])
    used.append(age(made, datetime.now(UTC)) if run["status"] in _MOVES else took(run))
    return Text.assemble((f"run {run['id']}  ", "bold"), status_text(run), (f"  {' · '.join(used)}", "dim"))


def _latest(report: Report) -> Iterator[RenderableType]:
    """The latest of what the tree does not show: thoughts, progress, changes of state, one line each."""
    lines = [
        Text.assemble((f"{one_line(event['agent'], _AGENT_COLUMNS):<{_AGENT_COLUMNS}} ", "dim"), line)
        for entry in report.journal
        for event in entry["events"]
        if event["type"] in _BESIDE_THE_TREE
        for line in event_lines(event)
    ]
    if lines:
        yield ""
        for line in lines[-_LATEST:]:
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line


def _body(report: Report, called: Invocation) -> Iterator[RenderableType]:
    """The tree of calls, while it moves what was thought and noted last, what waits for a person, the answer."""
    root = report.frame(report.run["id"])
    if root is not None:
        yield frame_tree(report, root, brief=True)
    if report.run["status"] in _MOVES and called.screen.out.is_terminal:
        yield from _latest(report)
    for gate in report.gates:
        if gate["status"] == "waiting":
            yield ""
            yield from gate_view(gate, called)
    if report.run["output"] is not None:
        yield ""
        yield answer_text(report.run["output"])
