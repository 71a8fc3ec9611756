"""One step in full: what the model thought, each call with its arguments and result, what changed in state."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from rich.text import Text

from entracte.cli.records.records import Json
from entracte.cli.records.report import Report
from entracte.cli.terminal.plain_text import json_text, one_line, plain
from entracte.cli.terminal.quantities import count, seconds
from entracte.cli.views.addresses import frame_and_step, step_address
from entracte.cli.views.call_facts import class_of, decision_lines, inverse_line
from entracte.cli.views.event_lines import MARKS, UNENDED, event_lines
from entracte.errors import NotFound

_ONE_LINE_CHARS = 100

_SHOWN_WITH_CALL = {"plan.ready", "tool.called", "tool.progress", "tool.result"}


def step_json(report: Report, address: str) -> dict[str, Any]:
    """Entries and actions of a step."""
    frame, step = _find(report, address)
    return {
        "run": report.run["id"],
        "frame": frame["id"],
        "agent": frame["agent"],
        "step": step,
        "entries": [entry for entry in report.journal if (entry["frame"], entry["step"]) == (frame["id"], step)],
        "actions": report.actions_of(frame["id"], step),
        "answer": _answer(report, frame) if step == frame["step"] else None,
    }


def step_view(report: Report, address: str) -> Iterator[Text | str]:
    """The lines of the view: what came before the calls, the calls, what came after them.

    Raises:
        NotFound: The run has no such step.
    """
    shown = step_json(report, address)
    yield Text.assemble((f"step {address}", "bold"), f" of {one_line(shown['agent'])}, run {shown['run']}")
    phases = [entry["phase"] for entry in shown["entries"]]
    called_at = phases.index("execute") if "execute" in phases else len(phases)
    for entry in shown["entries"][:called_at]:
        yield from _entry(entry)
    for action in shown["actions"]:
        yield from _call(report, action)
    for entry in shown["entries"][called_at:]:
        if entry["phase"] not in ("execute", "approve"):  # told with the calls
            yield from _entry(entry)
    if shown["answer"] is not None:
        yield ""
        yield from _value("answer", shown["answer"])


def _find(report: Report, address: str) -> tuple[Json, int]:
    frame_id, step = frame_and_step(report.run["id"], address)
    frame = report.frame(frame_id)
    if frame is None or not 0 <= step <= frame["step"]:
        steps = [step_address(report.run["id"], f["id"], f["step"]) for f in report.frames]
        raise NotFound(
            f"Run {report.run['id']} has no step {address}.",
            remedy=f"Last step of each agent: {', '.join(steps)}.",
            code="step_not_found",
        )
    return frame, step


def _answer(report: Report, frame: Json) -> Any:
    """What a frame ended with, if it has."""
    if frame["id"] == report.run["id"]:
        return report.run["output"]
    return next((action["result"] for action in report.actions if action["id"] == frame["id"]), None)


def _entry(entry: Json) -> Iterator[Text | str]:
    """A move of plan or evaluate."""
    usage = entry["usage"]
    kinds = [kind for kind in ("prompt", "thinking", "output") if usage[f"{kind}_tokens"]]
    facts = [f"answered by {one_line(entry['served'])}"] if entry["served"] else []
    facts += [count(usage[f"{kind}_tokens"], f"{kind} token") for kind in kinds]
    facts.append(seconds(entry["duration_ms"] / 1000))
    yield ""
    yield Text.assemble((_move(entry), "cyan"), (f"  {', '.join(facts)}", "dim"))
    for event in entry["events"]:
        if event["type"] == "thought" and event["data"]["text"]:
            yield Text(f"  {plain(event['data']['text'])}", "italic")
        elif event["type"] not in _SHOWN_WITH_CALL:
            yield from (Text("  ") + line for line in event_lines(event))


def _move(entry: Json) -> str:
    """What the entry is called within its step."""
    return one_line(entry["id"].removeprefix(f"{entry['frame']}.").removeprefix(f"{entry['step']}."))


def _call(report: Report, action: Json) -> Iterator[Text | str]:
    """A call with everything that is kept of it."""
    mark, style = MARKS.get(action["status"], UNENDED)
    tries = f", attempt {action['attempt']}" if action["attempt"] > 1 else ""
    effect = f", {known}" if (known := class_of(action)) else ""
    yield ""
    yield Text.assemble(
        (f"{mark} {one_line(action['tool'])}", f"bold {style}"),
        f"  {action['status']}{effect}{tries}",
        (f"{_took(action)}  {action['id']}", "dim"),
    )
    yield from (Text("  ") + line for line in decision_lines(report.gates_of(action["id"])))
    yield from _value("arguments", action["arguments"])
    if action["result"] is not None or action["status"] == "applied":
        yield from _value("result", action["result"])
    for label, reading in (("before", action["snapshot"]), ("after", action["after"])):
        if reading is not None:
            yield from _value(label, reading["value"] if reading["present"] else "not there")
    if (inverse := inverse_line(action)) is not None:
        yield Text("  ") + inverse
    if action["error"]:
        yield Text(f"  error: {plain(action['error'])}", "yellow")
    for warning in action["warnings"]:
        yield Text(f"  warning: {plain(warning)}", "yellow")
    if action["verdict"]:
        yield Text(f"  verdict: {action['verdict'].replace('_', ' ')}. {plain(action['verdict_note'])}".rstrip())


def _value(label: str, value: Any) -> Iterator[Text]:
    text = plain(value) if isinstance(value, str) else json_text(value)
    if not isinstance(value, str) and len(text) > _ONE_LINE_CHARS:
        text = json_text(value, indent=2)
    lines = text.splitlines()
    if len(lines) <= 1:
        yield Text.assemble((f"  {label}: ", "dim"), text)
        return
    yield Text(f"  {label}:", "dim")
    yield from (Text(f"    {line}") for line in lines)


def _took(action: Json) -> str:
    if not (action["started"] and action["ended"]):
        return ""
    length = datetime.fromisoformat(action["ended"]) - datetime.fromisoformat(action["started"])
    return f", {seconds(length.total_seconds())}"
