"""What makes runs: a network in this process, or one behind an API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from entracte.cli.records.records import Json, Records
from entracte.cli.records.tally import Tally
from entracte.cli.runners.gate_decision import Decision

OnEvent = Callable[[Json], None]
"""Is told of every event, as JSON, from any thread."""


class Runner(Protocol):
    """Starts runs, waits for them, decides their gates, takes them back."""

    @property
    def records(self) -> Records:
        """What has been run here. Closed with the runner."""
        ...

    def start(self, message: str, *, agent: str, session: str, route: str = "") -> Json:
        """Start a run: empty texts stand for the network's entry and a new session."""
        ...

    def wait(self, run: str) -> Json:
        """The run, once it has ended or waits for a person, and no undo of it is under way."""
        ...

    def tally(self, run: str) -> Tally:
        """What the run has done so far."""
        ...

    def state(self, session: str) -> dict[str, Any]:
        """Global state of a session."""
        ...

    def cancel(self, run: str) -> Json:
        """Close a run; Conflict when it is closed already."""
        ...

    def decide(self, gate: Json, decision: Decision) -> Json:
        """Decide a gate as it was shown, and let its run go on; the gate as it is now.

        Raises:
            Conflict: It is decided already, which says who decided what, or shows other arguments by now.
            Forbidden: This person may not decide it.
            InvalidInput: No such decision, or arguments that do not fit.
        """
        ...

    def undo(self, run: str, *, to: str, replan: bool) -> Json:
        """Begin to take a run back, or join the undo that is under way; the run as it is now.

        Args:
            to: Whole id of the action at which it ends, inclusive; empty for the whole run.
        """
        ...

    def resume(self, run: str) -> Json:
        """Let a stalled run go on; Conflict when it is not stalled."""
        ...

    def retry(self, run: str) -> Json:
        """Make the move again that a failed run ended at; Conflict when it has not failed."""
        ...

    def fork(self, run: str, *, at: int, state: dict[str, Any]) -> Json:
        """Begin a new run at a step of this one."""
        ...

    def close(self) -> None:
        """Let deliveries under way end, and let go of files and connections."""
        ...
