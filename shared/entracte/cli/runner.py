"""What makes runs: a network in this process, or one behind an API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from entracte.cli.records import Json
from entracte.cli.tally import Tally

OnEvent = Callable[[Json], None]
"""Is told of every event, as JSON, from any thread."""


class Runner(Protocol):
    """Starts runs and waits for them."""

    def start(self, message: str, *, agent: str, session: str) -> Json:
        """Start a run: empty texts stand for the network's entry and a new session."""
        ...

    def wait(self, run: str) -> Json:
        """The run, once it has ended or waits for a person."""
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

    def close(self) -> None:
        """Let deliveries under way end, and let go of files and connections."""
        ...
