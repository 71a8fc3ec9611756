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
    """An observer that prints one line for each thing that happens: agent, phase, and what it was."""

    console: Console

    def on_event(self, event: Event) -> None:
        for phase, what in _lines(event):
            line = Text.assemble(
                ("  " * (len(event.parents) + 1) + event.agent).ljust(20), (phase.ljust(9), "cyan"), what, style="dim"
            )
            line.truncate(self.console.width, overflow="ellipsis")
            self.console.print(line, no_wrap=True)


def _lines(event: Event) -> list[tuple[str, str]]:
    """Phase and text of the lines that tell an event; none for those that another one tells better."""
    data: dict[str, Any] = event.data
    match event.type:
        case "thought":
            return [("plan", data["text"])]
        case "plan.ready":
            return [("plan", f"→ {call['tool']}({_arguments(call['arguments'])})") for call in data["calls"]]
        case "tool.called":
            return [("execute", f"{data['tool']} …")]
        case "tool.result":
            said = data.get("error") or json.dumps(data.get("result"), ensure_ascii=False)
            return [("execute", f"{data['tool']} {data['status']}: {said}")]
        case "state.updated":
            return [("evaluate", f"{change['key']}: {change['text']}") for change in data["applied"]]
        case "error":
            return [("error", data["message"])]
        case _:
            return []


def _arguments(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
