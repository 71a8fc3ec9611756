"""How much one run may change."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.hooks import Hook
from entracte.core.calls import Call
from entracte.core.documents.action import Action, ActionStatus
from entracte.errors import Blocked, ConfigurationError
from entracte.harness.tool_patterns import checked, matches

_COUNTED: frozenset[ActionStatus] = frozenset({"gated", "approved", "started", "applied", "unknown"})
"""Has changed something, may have, or may yet."""


class BlastRadius(Hook):
    """Blocks changes once a run has made so many: ``BlastRadius({"*": 20, "send_*": 2})``.

    Calls that change nothing are neither counted nor blocked, and changes that were refused, denied or taken back leave
    room for others. Counted when a call is prepared: frames that work at the same moment may go over by one each. For a
    limit of a run without its tools, `Budget(writes=…)` is cheaper.

    Args:
        most: Largest number of changes by pattern of tools.
        within_s: Only changes of the last so many seconds count: a rate instead of a sum.

    Raises:
        ConfigurationError: No tool is named, or a number is below 0.
    """

    def __init__(self, most: Mapping[str, int], *, within_s: float | None = None) -> None:
        checked(most, "BlastRadius")
        if any(limit < 0 for limit in most.values()) or (within_s is not None and within_s <= 0):
            raise ConfigurationError("BlastRadius takes numbers from 0, and a time above 0.")
        self._most = dict(most)
        self._within = timedelta(seconds=within_s) if within_s is not None else None

    def before_tool(self, call: Call, ctx: ToolContext[Any]) -> Call:
        limits = {pattern: limit for pattern, limit in self._most.items() if matches(call.tool, (pattern,))}
        if not limits:
            return call
        actions = ctx.actions
        mine = next((action for action in actions if action.id == call.action), None)
        if mine is None:
            raise Blocked("What this run has changed cannot be counted.")
        if mine.effect != "changing":
            return call
        counted = [action for action in actions if self._counts(action, mine)]
        for pattern, limit in limits.items():
            if sum(matches(action.tool, (pattern,)) for action in counted) >= limit:
                when = f" within {self._within.total_seconds():g} s" if self._within is not None else ""
                raise Blocked(f"This run may make {limit} changes by {pattern}{when}, and has made them.")
        return call

    def _counts(self, action: Action, mine: Action) -> bool:
        if action.id == mine.id or action.kind != "tool" or action.effect != "changing":
            return False
        is_recent = self._within is None or action.created >= mine.created - self._within
        return action.status in _COUNTED and is_recent
