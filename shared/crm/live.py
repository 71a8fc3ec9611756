"""Prints what a run does while it does it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from entracte.agents import Event


@dataclass(frozen=True, slots=True)
class Live:
    """An observer that prints a line for each thing that happens: whose work it is, what kind of thing, and what."""

    console: Console

    def on_event(self, event: Event) -> None:
        indent = "  " * (len(event.parents) + 1)
        for kind, what in _lines(event):
            line = Text.assemble((indent + event.agent).ljust(20), (kind.ljust(8), "cyan"), what, style="dim")
            line.truncate(self.console.width, overflow="ellipsis")
            self.console.print(line, no_wrap=True)


def _lines(event: Event) -> list[tuple[str, str]]:
    """Kind and text of the lines that tell an event; none for what the caller prints itself."""
    data: dict[str, Any] = event.data
    match event.type:
        case "thought" if data["text"]:
            return [("thought", data["text"])]
        case "plan.ready":
            return [("plan", f"{call['tool']}({_arguments(call['arguments'])})") for call in data["calls"]]
        case "tool.called":
            return [("call", data["tool"])]
        case "tool.result":
            said = data.get("error") or json.dumps(data.get("result"), ensure_ascii=False)
            return [("result", f"{data['status']} {said}")]
        case "state.updated":
            return [("state", f"{change['key']}: {change['text']}") for change in data["applied"]]
        case "gate.opened":
            return [("gate", data["question"])]
        case "error" if data["message"]:
            return [("error", data["message"])]
        case _:
            return []


def _arguments(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
