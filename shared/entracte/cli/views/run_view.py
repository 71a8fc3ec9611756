"""A run at a glance: what was asked, what each agent did, what is known now, the answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from entracte.cli.records.records import Json
from entracte.cli.records.report import Report
from entracte.cli.terminal.cut_line import CutLine
from entracte.cli.terminal.hanging import Hanging
from entracte.cli.terminal.plain_text import call_line, one_line, plain, value_line
from entracte.cli.terminal.quantities import age, count
from entracte.cli.views.addresses import step_address
from entracte.cli.views.call_facts import class_of, decision_lines, inverse_line
from entracte.cli.views.cost_words import by_model, cost_words
from entracte.cli.views.event_lines import MARKS, UNENDED
from entracte.cli.views.run_end import answer_text, status_text, took
from entracte.cli.views.state_view import state_view
from entracte.cli.views.undo_view import summary, undo_view

_LABEL_COLUMNS = 10

_MADE = {"applied", "reverting", "reverted", "unrecoverable"}
"""Status of a call that has a result."""


def run_view(report: Report) -> Iterator[RenderableType]:
    """The parts of the view, in order."""
    run = report.run
    yield Text.assemble(("run ", "bold"), (run["id"], "bold"), "  ", status_text(run))
    yield from _header(report)
    root = report.frame(run["id"])
    if root is not None:
        yield ""
        yield frame_tree(report, root)
    yield from _undo(report)
    yield from _state(report)
    yield from _errors(report)
    if run["output"] is not None:
        yield ""
        yield Text("answer", "bold")
        yield answer_text(run["output"])


def _header(report: Report) -> Iterator[Hanging]:
    run, usage = report.run, report.usage
    made = datetime.fromisoformat(run["created"])
    asked = run["input"]
    only_message = isinstance(asked, dict) and list(asked) == ["message"]
    yield _labelled("asked", plain(str(asked["message"])) if only_message else value_line(asked))
    yield _labelled("network", f"{run['network']}, agent {run['agent']}, version {run['network_version'][:12]}")
    yield _labelled("session", run["session"])
    when = f"{made.astimezone():%Y-%m-%d %H:%M:%S}, {age(made, datetime.now(UTC))} ago"
    yield _labelled("made", f"{when}; took {took(run)}" if run["stop_reason"] else when)
    kinds = {
        "prompt": usage.prompt_tokens,
        "cached": usage.cached_tokens,
        "thinking": usage.thinking_tokens,
        "output": usage.output_tokens,
    }
    parts = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    tally = f"{count(report.tally.steps, 'step')}, {count(report.tally.calls, 'call')}"
    tokens = f"{count(usage.tokens, 'token')}{f' ({parts})' if parts else ''}"
    yield _labelled("used", f"{tally}, {count(usage.model_calls, 'model call')}, {tokens}")
    yield _labelled("cost", cost_words(usage))
    if len(models := by_model(report.journal)) > 1:
        for index, line in enumerate(models):
            yield _labelled("" if index else "models", line)
    if run["metadata"]:
        yield _labelled("labels", ", ".join(f"{name}={value}" for name, value in run["metadata"].items()))


def _labelled(label: str, text: str) -> Hanging:
    return Hanging(Text(f"{label:<{_LABEL_COLUMNS}}", "dim"), Text(plain(text).strip()))


def frame_tree(report: Report, frame: Json, *, brief: bool = False) -> Tree:
    """A frame's steps and calls, with the frames that they opened inside.

    Args:
        brief: Leave out what came of the calls.
    """
    tree = Tree(Text(one_line(frame["agent"]), "bold"), guide_style="dim")
    _add_steps(tree, report, frame, brief=brief)
    return tree


def _add_steps(tree: Tree, report: Report, frame: Json, *, brief: bool) -> None:
    actions = report.actions_of(frame["id"])
    for step in sorted({action["step"] for action in actions} | {frame["step"]}):
        calls = [action for action in actions if action["step"] == step]
        label = Text(f"step {step_address(report.run['id'], frame['id'], step)}", "cyan")
        if step == frame["step"]:
            label.append(f"  {_standing(frame, report.run)}", "dim")
        branch = tree.add(label)
        for action in calls:
            _add_call(branch, report, action, brief=brief)
    if frame["error"]:
        tree.add(Text(f"! {one_line(frame['error'])}", "yellow"))


def _standing(frame: Json, run: Json) -> str:
    """Where a frame is, at its last step."""
    if frame["phase"] == "ended":
        return str(frame["stop_reason"])
    if run["status"] == "cancelled":
        return f"{frame['phase']}, when the run was cancelled"
    return f"{frame['phase']} …"


def _add_call(branch: Tree, report: Report, action: Json, *, brief: bool) -> None:
    mark, style = MARKS.get(action["status"], UNENDED)
    end = Text(f"  {action['status']}" if action["status"] != "applied" else "", style)
    end.append(f"  {known}" if (known := class_of(action)) else "", "dim")
    call = branch.add(CutLine(Text.assemble((f"{mark} ", style), call_line(action["tool"], action["arguments"])), end))
    child = report.frame(action["id"])
    if child is not None:
        _add_steps(call, report, child, brief=brief)
    if not brief:
        _add_outcome(call, report, action)


def _add_outcome(call: Tree, report: Report, action: Json) -> None:
    """What people said, what the call gave, what takes it back, and what evaluate made of it."""
    for line in decision_lines(report.gates_of(action["id"])):
        call.add(_on_one_line(line))
    if action["error"]:
        call.add(_on_one_line(Text(f"! {one_line(action['error'])}", "yellow")))
    elif action["status"] in _MADE:
        said = action["result"]
        call.add(_on_one_line(Text(one_line(said) if isinstance(said, str) else value_line(said), "dim")))
    for warning in action["warnings"]:
        call.add(_on_one_line(Text(f"! {one_line(warning)}", "yellow")))
    if (inverse := inverse_line(action)) is not None:
        call.add(_on_one_line(inverse))
    if action["verdict"]:
        verdict = Text(f"{action['verdict'].replace('_', ' ')}", "green" if action["verdict"] == "ok" else "yellow")
        if action["verdict_note"]:
            verdict.append(f": {one_line(action['verdict_note'])}", "dim")
        call.add(_on_one_line(verdict))


def _on_one_line(text: Text) -> Text:
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def _state(report: Report) -> Iterator[Text | Hanging]:
    """What the session knows now, and what each agent noted for itself."""
    if any(report.state.values()):
        yield Text("\nstate of the session, as it is now", "bold")
        yield from state_view(report.state)
    for frame in report.frames:
        if any(frame["state"].values()):
            where = "" if frame["id"] == report.run["id"] else f" ({frame['id'].removeprefix(report.run['id'] + '.')})"
            yield Text(f"\nnotes of {one_line(frame['agent'])}{where}", "bold")
            yield from state_view(frame["state"])


def _undo(report: Report) -> Iterator[Text | Hanging]:
    """What the last undo did with each call."""
    if report.undo:
        yield Text(f"\nundo: {report.run['status']}, {summary(report.undo)}", "bold")
        yield from undo_view(report.run["id"], report.undo)


def _errors(report: Report) -> Iterator[Text | Hanging]:
    """Why the run has no answer, and what went wrong on the way."""
    found = [
        f"{entry['agent']}, step {step_address(report.run['id'], entry['frame'], entry['step'])}: "
        f"{event['data']['message']}"
        for entry in report.journal
        for event in entry["events"]
        if event["type"] == "error" and event["data"]["message"]
    ]
    if report.run["error"]:
        found.append(report.run["error"])
    if found:
        yield Text("\nerrors", "bold")
        yield from (Hanging(Text("  "), Text(one_line(error), "yellow")) for error in dict.fromkeys(found))
