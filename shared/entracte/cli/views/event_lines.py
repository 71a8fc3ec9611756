"""Events as lines of text: what is shown while a run goes on, and in a step that is looked at later."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from entracte.cli.records.records import Json
from entracte.cli.terminal.plain_text import call_line, one_line, value_line

MARKS = {
    "applied": ("✓", "green"),
    "failed": ("✗", "red"),
    "blocked": ("✗", "red"),
    "cancelled": ("✗", "yellow"),
    "denied": ("✗", "red"),
    "expired": ("✗", "yellow"),
    "lapsed": ("✗", "yellow"),
    "gated": ("?", "bold yellow"),
    "unknown": ("?", "bold yellow"),
    "reverted": ("↶", "cyan"),
    "unrecoverable": ("!", "red"),
}
"""How a call that has come to its end, or to a person, is marked; any other is still under way."""

_GOES_ON = {
    "resume": "goes on: it was resumed",
    "retry": "goes on: it is retried",
    "message": "goes on: a late message has come",
}

_SORTED = {"model": "sorted", "caller": "as asked", "default": "by default"}

UNENDED = ("…", "dim")


def event_lines(event: Json) -> list[Text]:
    """What an event says; nothing for those that another one says better."""
    data: dict[str, Any] = event["data"]
    match event["type"]:
        case "run.started":
            return [Text(f"run {event['run_id']} · session {data['session']}", "dim")]
        case "run.routed":
            reason = f": {one_line(data['reason'])}" if data["reason"] else ""
            return [Text(f"↳ {data['route'] or data['agent']} ({_SORTED[data['strategy']]}){reason}", "dim")]
        case "thought" if not data["text"]:  # a move that used a model and says nothing
            return []
        case "thought":
            return [Text(f"· {one_line(data['text'])}", "dim italic")]
        case "plan.ready":
            return [Text(f"→ {call_line(call['tool'], call['arguments'])}") for call in data["calls"]]
        case "tool.called":
            again = f"  (attempt {data['attempt']})" if data["attempt"] > 1 else ""
            return [Text(f"→ {call_line(data['tool'], data['arguments'])}{again}")]
        case "tool.progress":
            return [Text(f"… {data['tool']}: {one_line(data['text'])}", "dim")]
        case "tool.result":
            return [result_line(data["tool"], data["status"], data.get("result"), data.get("error", ""))]
        case "state.updated":
            return [*map(change_line, data["applied"]), *map(refusal_line, data["refused"])]
        case "artifact.saved":
            return [Text(f"kept on the desk: {one_line(data['title'])}", "dim")]
        case "memory.saved":
            return [Text(f"remembered: {one_line(data['text'])}", "dim")]
        case "gate.opened":
            return [Text(f"? {one_line(data['tool'])}: {one_line(data['question'])}", "bold yellow")]
        case "run.waiting":
            return [Text("waits for a person", "bold yellow")]
        case "run.resumed":
            return [Text(_GOES_ON.get(data["how"], "goes on"), "bold")]
        case "gate.decided":
            return [decision_line(data)]
        case "run.undone":
            return undo_lines(data)
        case "error" if not data["message"]:  # a call that waits at a gate, which has been told
            return []
        case "error":
            return [Text(f"! {one_line(data['message'])}", "yellow")]
        case "run.ended" | "model.delta":
            return []
        case other:
            return [Text(f"{other} {value_line(data)}", "dim")]


def result_line(tool: str, status: str, result: Any, error: str) -> Text:
    """How a call ended, and with what."""
    mark, style = MARKS.get(status, UNENDED)
    said = (
        one_line(error) if status != "applied" else one_line(result) if isinstance(result, str) else value_line(result)
    )
    how = f" {status}" if status not in ("applied", "failed") else ""
    return Text.assemble((f"{mark} ", style), (f"{one_line(tool)}{how}", style), "  ", (said, "dim"))


def decision_line(data: dict[str, Any]) -> Text:
    """Who decided what, and why."""
    reason = f": {one_line(data['reason'])}" if data["reason"] else ""
    if data["refused"]:
        return Text(f"✗ {data['by']}'s {one_line(data['decision'])} does not count: {one_line(data['note'])}", "yellow")
    mark, style = ("✗", "red") if data["decision"] == "deny" else ("✓", "green")
    edited = " with other arguments" if data["edited"] else ""
    return Text(f"{mark} {one_line(data['by'])}: {one_line(data['decision'])}{edited}{reason}", style)


def undo_lines(data: dict[str, Any]) -> list[Text]:
    """How an undo dealt with a call; nothing for what it does between two calls."""
    tool = one_line(data.get("tool", ""))
    note = f"  {one_line(data['note'])}" if data.get("note") else ""
    match data["how"]:
        case "asked":
            return [Text(f"↶ {one_line(data['note'])}", "cyan")]
        case "reverted":
            return [Text(f"↶ {tool} reverted{note}", "cyan")]
        case "unverified":
            return [Text(f"↶ {tool} taken back, unverified{note}", "yellow")]
        case "permanent":
            return [Text(f"! {tool} is permanent{note}", "yellow")]
        case "stopped":
            return [Text(f"! stops at {tool}{note}", "red")]
        case "skipped":
            return [Text(f"· {tool}{note}", "dim")]
        case _:  # ordered, claimed
            return []


def change_line(change: dict[str, str]) -> Text:
    """A change of state: its key, its item's id, and the text or that it is gone."""
    text = one_line(change["text"]) or "removed"
    return Text.assemble((f"{change['key']} ", "dim"), (change["id"], "magenta"), f"  {text}")


def refusal_line(refusal: dict[str, Any]) -> Text:
    """A change of state that was not made."""
    return Text(f"! state not changed: {one_line(refusal['message'])}", "yellow")
