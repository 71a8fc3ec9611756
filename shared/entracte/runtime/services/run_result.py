"""A run as callers see it, whether it ran in this process or behind the HTTP API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from entracte.errors import RunFailed, RunWaiting


class RunResult(Struct, frozen=True):
    """A run at the moment it was read.

    Attributes:
        data: The run as JSON, as the HTTP API gives it.
        read_state: Reads the global state of a session.
    """

    data: Mapping[str, Any]
    read_state: Callable[[str], dict[str, Any]]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def session(self) -> str:
        return str(self.data["session"])

    @property
    def status(self) -> str:
        return str(self.data["status"])

    @property
    def stop_reason(self) -> str:
        return str(self.data["stop_reason"])

    @property
    def output(self) -> Any:
        """The final value; text unless the agent has an output schema."""
        return self.data["output"]

    @property
    def text(self) -> str:
        """The final value as text."""
        return str(self.data["text"])

    @property
    def gates(self) -> list[Any]:
        """What waits for a person."""
        return list(self.data["gates"])

    @property
    def state(self) -> dict[str, Any]:
        """Global state of its session, as it is now."""
        return self.read_state(self.session)

    @property
    def usage(self) -> Mapping[str, int]:
        return dict(self.data["usage"])

    @property
    def error(self) -> str:
        return str(self.data["error"])

    def raise_for_status(self) -> RunResult:
        """Itself, when the run has succeeded.

        Raises:
            RunWaiting: A person is awaited, or somebody has to resume it.
            RunFailed: It ended without an answer.
        """
        if self.status in ("waiting", "stalled"):
            raise RunWaiting(f"Run {self.id} is {self.status}. {self.error}".strip())
        if self.status != "succeeded":
            raise RunFailed(f"Run {self.id} is {self.status} ({self.stop_reason or 'not ended'}). {self.error}".strip())
        return self
