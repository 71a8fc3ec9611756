"""What a run does, while it does it: a line for each thing that happened, and what is going on now below them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.terminal.plain_text import one_line
from entracte.cli.terminal.quantities import count, seconds
from entracte.cli.terminal.screen import Screen
from entracte.cli.views.event_lines import event_lines

_AGENT_COLUMNS = 18
_PHASE_COLUMNS = 12

_OF_STEPS = {"plan", "execute", "evaluate"}

_CATCH_UP_S = 2.0

_WRITTEN_CHARS = 60


class Progress:
    """Follows one run after the other. On a terminal, labels that repeat are left out and the last line moves."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._condition = threading.Condition()
        self._is_following = False
        self._forget()

    def _forget(self) -> None:
        self.run = ""
        self._shown = ("", "")
        self._now = "starting"
        self._written = ("", "")
        self._trouble = ""
        self._calls = 0
        self._tokens = 0
        self._began = time.monotonic()
        self._seen: set[tuple[str, str]] = set()

    @contextmanager
    def following(self, run: str = "") -> Iterator[None]:
        """Within the block, show that run, or the one that is started in it."""
        if not run or run != self.run:
            self._forget()
            self.run = run
        self._seen.clear()
        console = self._screen.err
        self._is_following = True
        try:
            if not console.is_terminal:
                yield
                return
            with Live(console=console, get_renderable=self._last_line, refresh_per_second=8, transient=True):
                yield
        finally:
            self._is_following = False

    def on_event(self, event: Json) -> None:
        """Show an event of the run. Others, such as those of runs that another process has left, are not shown."""
        with self._condition:
            if event["type"] == "run.started" and not self.run:
                self.run = event["run_id"]
            if event["run_id"] != self.run or not self._is_following:
                return
            if event["type"] == "model.delta":
                self._write(event)
                return
            self._written = ("", "")
            self._seen.add((event["type"], _told(event)))
            lines = [] if self._is_known(event) else event_lines(event)
            tokens = sum(event["usage"][kind] for kind in ("prompt_tokens", "thinking_tokens", "output_tokens"))
            self._tokens += tokens
            for index, line in enumerate(lines):
                self._show(event, line, tokens if index == len(lines) - 1 else 0)
            if event["type"] == "plan.ready":
                self._calls += len(event["data"]["calls"])
            self._now = _doing(event)
            self._condition.notify_all()

    def catch_up(self, run: Json) -> None:
        """Return once everything was shown: the last events may come a moment after the run is seen to have ended."""
        match run["status"]:
            case "waiting":
                last = ("run.waiting", "")
            case "stalled":
                last = ("error", run["error"])
            case "undone" | "partial":
                last = ("run.undone", "over")
            case _:
                last = ("run.ended", "")
        with self._condition:
            self._condition.wait_for(lambda: last in self._seen, _CATCH_UP_S)

    def on_retry(self, kind: str, attempt: int, error: str) -> None:
        """Tell that a phase could not do its work and is tried again. What the first retry mends is no trouble."""
        with self._condition:
            self._now = f"{kind} is tried again ({attempt})"
            if attempt == 1:
                return
            if self._is_following and error != self._trouble:
                told = (
                    f"! {kind} is tried again: {one_line(error).rstrip('.')}. It goes on by itself; Ctrl-C leaves it."
                )
                self._screen.err.print(Text(told, "yellow"), soft_wrap=True)
            self._trouble = error

    def _write(self, event: Json) -> None:
        """Text that is being written moves in the last line: of a frame and a kind, the end that there is room for."""
        kind = event["data"]["kind"]
        about = f"{event['frame_id']} {kind}"
        before = self._written[1] if self._written[0] == about else ""
        self._written = about, (before + event["data"]["text"])[-_WRITTEN_CHARS:]
        verb = "thinks" if kind == "thought" else "writes"
        self._now = f"{one_line(event['agent'], 40)} {verb}: …{one_line(self._written[1], _WRITTEN_CHARS)}"

    def _is_known(self, event: Json) -> bool:
        """It was shown already: a call with its plan (step 0 has none), the last failure with the tries before it."""
        if event["type"] == "tool.called":
            return bool(event["step"]) and event["data"]["attempt"] == 1
        if event["type"] == "gate.decided":
            return bool(event["data"]["refused"])  # whoever was refused is told by the command
        return (event["type"], event["data"].get("message")) == ("error", self._trouble)

    def _show(self, event: Json, line: Text, tokens: int) -> None:
        phase = f"{event['phase']} {event['step']}" if event["phase"] in _OF_STEPS else event["phase"]
        console = self._screen.err
        agent = "  " * len(event["parents"]) + one_line(event["agent"], _AGENT_COLUMNS)
        repeated = console.is_terminal and self._shown[0] == agent
        shown_phase = "" if repeated and self._shown[1] == phase else phase
        self._shown = agent, phase
        label = Text.assemble(
            ("" if repeated else agent).ljust(_AGENT_COLUMNS)[:_AGENT_COLUMNS],
            " ",
            (shown_phase.ljust(_PHASE_COLUMNS), "cyan"),
        )
        used = Text(f"  {count(tokens, 'token')}" if tokens else "", "dim")
        line.truncate(max(20, console.width - len(label) - len(used)), overflow="ellipsis")
        console.print(label + line + used, soft_wrap=True)

    def _last_line(self) -> RenderableType:
        passed = int(time.monotonic() - self._began)
        shown = f"{passed} s" if passed < 60 else seconds(passed)
        text = f"{self._now} · {count(self._calls, 'call')} · {count(self._tokens, 'token')} · {shown}"
        return Spinner("dots", text=Text(text, "dim", overflow="ellipsis", no_wrap=True), style="cyan")


class NoProgress(Progress):
    """Shows nothing, for those who want JSON alone."""

    @contextmanager
    def following(self, run: str = "") -> Iterator[None]:
        yield

    def on_event(self, event: Json) -> None: ...

    def on_retry(self, kind: str, attempt: int, error: str) -> None: ...

    def catch_up(self, run: Json) -> None: ...


def progress_of(called: Invocation) -> Progress:
    """Progress as the options ask for it."""
    return NoProgress(called.screen) if called.options.as_json else Progress(called.screen)


def _told(event: Json) -> str:
    """What tells an event from others of its type, as far as anybody waits for it."""
    data = event["data"]
    match event["type"]:
        case "error":
            return str(data["message"])
        case "run.undone":
            return "over" if data["how"] == "stopped" or data["status"] in ("undone", "partial") else ""
        case _:
            return ""


def _doing(event: Json) -> str:
    """What goes on after an event."""
    agent = one_line(event["agent"], 40)
    match event["type"]:
        case "plan.ready":
            tools = ", ".join(dict.fromkeys(call["tool"] for call in event["data"]["calls"]))
            return f"{agent} calls {one_line(tools, 60)}"
        case "tool.called":
            return f"{one_line(event['data']['tool'], 60)} is at work"
        case "tool.result":
            return f"{agent} looks at the results"
        case "run.undone":
            return "takes back"
        case "run.ended":
            return "ended"
        case _:
            return f"{agent} is at work"
