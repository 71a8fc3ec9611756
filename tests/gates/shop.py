"""Records that tools read and change, a tool of every class, and a policy for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from entracte.agents import Tool, ToolContext, ToolError, tool
from entracte.core.policy.policy import Policy
from entracte.core.policy.reading import read_manifest

RULES = {
    "read": "class: readonly",
    "write": "class: reversible, ignore: [seen], "
    "snapshot: {tool: read, args: {id: $.id}, absent_when: is not there}, "
    "inverse: {tool: write, args: {id: $.id, plan: $snapshot.plan, note: $snapshot.note}}",
    "add": "class: compensable, inverse: {tool: remove, args: {id: $result.id}, absent_when: is not there}",
    "remove": "class: reversible, "
    "snapshot: {tool: read, args: {id: $.id}, absent_when: is not there}, "
    "inverse: {tool: restore, args: {id: $.id, record: $snapshot}}",
    "restore": "class: irreversible, gate: never",
    "send": "class: irreversible",
}
"""A rule for each tool, as the inside of a flow mapping."""


def policy(**changed: str | None) -> Policy:
    """The policy of `RULES` with some of them replaced; None leaves a tool without any."""
    return policy_of({name: rule for name, rule in (RULES | changed).items() if rule is not None})


def policy_of(rules: Mapping[str, str]) -> Policy:
    """A policy of these rules only."""
    lines = [f"  - {{match: {name}, {rule}}}" for name, rule in rules.items()]
    return Policy(read_manifest("\n".join(["version: 1", "tools:", *lines, ""]), file="policy.yaml", variables={}))


def gated(tool_name: str, more: str = "") -> Policy:
    """The policy in which one tool always asks first."""
    return policy(**{tool_name: f"{RULES[tool_name]}, gate: always{more}"})


class Shop:
    """The records, and what was done to them.

    Args:
        idempotent: Changes honour the idempotency key.
        timeout_s: Seconds that a change may take.

    Attributes:
        records: By id.
        done: Every change that was made: tool, and what it was about.
        keys: How often a change was asked for under each idempotency key.
        before, after: Called within a tool, before or after it has done its work; by name of the tool.
    """

    def __init__(self, *, idempotent: bool = False, timeout_s: float = 30) -> None:
        self.records: dict[int, dict[str, Any]] = {1: record("Free"), 2: record("Pro")}
        self.done: list[tuple[str, Any]] = []
        self.keys: Counter[str] = Counter()
        self.before: dict[str, Callable[[], Any]] = {}
        self.after: dict[str, Callable[[], Any]] = {}
        self._results: dict[str, Any] = {}
        self._idempotent = idempotent
        self._next = 100
        self.tools = self._tools(idempotent, timeout_s)

    def plans(self) -> dict[int, str]:
        """Plan by record."""
        return {id: record["plan"] for id, record in self.records.items()}

    def _tools(self, idempotent: bool, timeout_s: float) -> list[Tool]:
        @tool(effect="readonly")
        def read(id: int) -> dict[str, Any]:
            """Read a record."""
            self.before.get("read", _nothing)()
            return dict(self._record(id))

        @tool(idempotent=idempotent, timeout_s=timeout_s)
        def write(ctx: ToolContext[None], id: int, plan: str | None = None, note: str | None = None) -> str:
            """Change a record."""
            fields = {name: value for name, value in {"plan": plan, "note": note}.items() if value is not None}
            return self._change(ctx, "write", {"id": id, **fields}, lambda: self._write(id, fields))

        @tool(idempotent=idempotent, timeout_s=timeout_s)
        def add(ctx: ToolContext[None], plan: str) -> dict[str, int]:
            """Add a record."""
            return self._change(ctx, "add", plan, lambda: self._add(plan))

        @tool(idempotent=idempotent, timeout_s=timeout_s)
        def remove(ctx: ToolContext[None], id: int) -> str:
            """Remove a record."""
            return self._change(ctx, "remove", id, lambda: self._remove(id))

        @tool(idempotent=idempotent, timeout_s=timeout_s)
        def restore(ctx: ToolContext[None], id: int, record: dict[str, Any]) -> str:
            """Bring a record back."""
            return self._change(ctx, "restore", id, lambda: self._restore(id, record))

        @tool(idempotent=idempotent, timeout_s=timeout_s)
        def send(ctx: ToolContext[None], to: str, body: str = "") -> str:
            """Send a mail."""
            return self._change(ctx, "send", f"{to}: {body}" if body else to, lambda: "sent")

        return [read, write, add, remove, restore, send]

    def _change(self, ctx: ToolContext[None], name: str, about: Any, work: Callable[[], Any]) -> Any:
        self.keys[ctx.idempotency_key] += 1
        self.before.get(name, _nothing)()
        if self._idempotent and ctx.idempotency_key in self._results:
            return self._results[ctx.idempotency_key]
        result = self._results[ctx.idempotency_key] = work()
        self.done.append((name, about))
        self.after.get(name, _nothing)()
        return result

    def _record(self, id: int) -> dict[str, Any]:
        if id not in self.records:
            raise ToolError(f"Record {id} is not there.")
        return self.records[id]

    def _write(self, id: int, fields: dict[str, Any]) -> str:
        found = self._record(id)
        self.records[id] = {**found, **fields, "seen": found["seen"] + 1}
        return "written"

    def _add(self, plan: str) -> dict[str, int]:
        self._next += 1
        self.records[self._next] = record(plan)
        return {"id": self._next}

    def _remove(self, id: int) -> str:
        self._record(id)
        del self.records[id]
        return "removed"

    def _restore(self, id: int, fields: dict[str, Any]) -> str:
        if id in self.records:
            raise ToolError(f"Record {id} is there already.")
        self.records[id] = dict(fields)
        return "restored"


def raising(error: Exception) -> Callable[[], Any]:
    """What a tool does to fail."""

    def act() -> Any:
        raise error

    return act


def record(plan: str, note: str = "") -> dict[str, Any]:
    """A record. `seen` counts by itself."""
    return {"plan": plan, "note": note, "seen": 0}


def _nothing() -> None:
    pass
