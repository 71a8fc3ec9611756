"""A journal entry on one line."""

from __future__ import annotations

from datetime import datetime

from rich.text import Text

from entracte.cli.records.records import Json
from entracte.cli.terminal.plain_text import one_line


def journal_line(entry: Json) -> Text:
    """Time, agent, step, phase, tokens, duration, events."""
    at = datetime.fromisoformat(entry["at"]).astimezone()
    depth = entry["frame"].count(".") // 2
    usage = entry["usage"]
    tokens = usage["prompt_tokens"] + usage["thinking_tokens"] + usage["output_tokens"]
    return Text.assemble(
        (f"{at:%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}  ", "dim"),
        f"{'  ' * depth + one_line(entry['agent'], 24):<18} ",
        f"{entry['step']:>3}  ",
        (f"{entry['phase']:<9}", "cyan"),
        (f"{f'{tokens:,}' if tokens else '':>7}  {entry['duration_ms']:>6,} ms  ", "dim"),
        ", ".join(map(_event, entry["events"])),
    )


def _event(event: Json) -> str:
    """An event's type, and what it is about in a word or two."""
    data = event["data"]
    match event["type"]:
        case "plan.ready":
            return f"plan.ready {' + '.join(one_line(call['tool'], 40) for call in data['calls'])}"
        case "tool.called" | "tool.progress":
            return f"{event['type']} {one_line(data['tool'], 40)}"
        case "tool.result":
            return f"tool.result {one_line(data['tool'], 40)} {data['status']}"
        case "state.updated":
            refused = f" ({len(data['refused'])} refused)" if data["refused"] else ""
            return f"state.updated {' '.join(change['id'] for change in data['applied'])}{refused}"
        case "run.ended":
            return f"run.ended {data['status']}"
        case "error":
            return f"error {one_line(data['message'], 80)}"
        case other:
            return str(other)
