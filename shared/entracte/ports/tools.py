"""The tools port: runs one tool call."""

from __future__ import annotations

from typing import Protocol

from entracte.core.calls import Call, Prepared, ToolOutcome


class Tools(Protocol):
    """Runs tool calls. It never raises for what a tool does: every end of a call is a `ToolOutcome`."""

    def prepare(self, call: Call) -> Prepared:
        """Run the `before_tool` hooks, then check the arguments against the tool's schema. Calls nothing."""
        ...

    def call(self, call: Call, *, hooks: bool = True) -> ToolOutcome:
        """Call the tool, then run the `after_tool` hooks on its result.

        Args:
            hooks: False for the calls that Entracte makes by itself: snapshots and inverses.
        """
        ...
