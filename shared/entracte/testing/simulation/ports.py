"""Ports that hand every call to the stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from entracte.core.calls import Call, Prepared, ToolOutcome
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta
from entracte.core.payload import digest
from entracte.ports.model import Model
from entracte.ports.store import Query, Stored, Version, Write
from entracte.ports.tools import Tools
from entracte.testing.simulation.effects import Effect

if TYPE_CHECKING:
    from entracte.testing.simulation.stage import Stage


class SimulatedStore:
    """Store port, in front of the world's."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        found: Mapping[str, Stored] = self._stage.port(
            "load", f"load {_shown(paths)}", lambda: self._stage.world.store.load(paths)
        )
        return found

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        def do() -> Mapping[str, Version]:
            versions = self._stage.world.store.commit(writes)
            self._stage.committed(writes)
            return versions

        versions: Mapping[str, Version] = self._stage.port(
            "commit", f"commit {_shown([write.path for write in writes])}", do
        )
        return versions

    def query(self, query: Query) -> Sequence[Stored]:
        found: Sequence[Stored] = self._stage.port(
            "query", f"query {query.collection}", lambda: self._stage.world.store.query(query)
        )
        return found

    def close(self) -> None:
        """Nothing to let go of."""


class SimulatedBus:
    """Bus port: what is published waits in the world."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def publish(self, messages: Sequence[Message]) -> None:
        if not messages:
            return

        def do() -> Sequence[Message]:
            self._stage.check("publish", messages=messages)
            return messages

        self._stage.port("publish", f"publish {', '.join(map(named, messages))}", do)

    def close(self) -> None:
        """Nothing to let go of."""


class SimulatedClock:
    """Clock port: the world's time, as the process of the present handler has it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def now(self) -> datetime:
        kind = "clock" if self._stage.first_look_at_clock() else "time"
        now: datetime = self._stage.port("clock" if kind == "clock" else "time", "look at the clock", self._stage.now)
        return now


class SimulatedModel:
    """Model port, in front of another."""

    def __init__(self, stage: Stage, model: Model) -> None:
        self._stage = stage
        self._model = model

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        def do() -> ModelReply:
            self._stage.check("model", request=request)
            return self._stage.within(lambda: self._model.generate(request, deadline_s=deadline_s, on_delta=on_delta))

        reply: ModelReply = self._stage.port(
            "model", f"ask {request.agent} to {request.purpose} at step {request.step}", do
        )
        return reply


class SimulatedTools:
    """Tools port, in front of another: what changes something is noted down."""

    def __init__(self, stage: Stage, tools: Tools) -> None:
        self._stage = stage
        self._tools = tools

    def prepare(self, call: Call) -> Prepared:
        prepared: Prepared = self._stage.port(
            "prepare", f"prepare {call.tool}", lambda: self._stage.within(lambda: self._tools.prepare(call))
        )
        return prepared

    def call(self, call: Call, *, hooks: bool = True) -> ToolOutcome:
        if self._stage.is_readonly(call.tool):
            read: ToolOutcome = self._stage.port(
                "read", f"call {call.tool}", lambda: self._stage.within(lambda: self._tools.call(call, hooks=hooks))
            )
            return read
        outcome: ToolOutcome = self._stage.port(
            "change", f"call {call.tool} with key {call.idempotency_key}", Change(self, call, hooks)
        )
        self._stage.heard(call, outcome)
        return outcome

    def make(self, call: Call, *, hooks: bool) -> ToolOutcome:
        """Make a call that changes something."""
        outcome: ToolOutcome = self._stage.within(lambda: self._tools.call(call, hooks=hooks))
        if outcome.ending in ("applied", "unknown"):
            self._stage.acted(
                Effect(
                    key=call.idempotency_key,
                    action=call.action,
                    tool=call.tool,
                    attempt=call.attempt,
                    digest=digest(dict(call.arguments)),
                    honours_key=self._stage.honours_key(call.tool),
                    sure=outcome.ending == "applied",
                    skewed=self._stage.skewed,
                )
            )
        elif not outcome.called and call.idempotency_key == call.action:
            self._stage.altered = True  # it was too late to be called at all
        return outcome


class Change:
    """A call of a changing tool, which can be made now or later."""

    def __init__(self, tools: SimulatedTools, call: Call, hooks: bool) -> None:
        self._tools = tools
        self.call = call
        self.hooks = hooks

    def __call__(self, call: Call | None = None) -> ToolOutcome:
        return self._tools.make(call or self.call, hooks=self.hooks)


def named(message: Message) -> str:
    """A message in a few words."""
    subject = message.gate or message.action or (f"{message.frame} step {message.step}" if message.frame else "")
    said = f" says {message.answer.decision!r}" if message.answer is not None else ""
    return f"{message.kind} {subject}{said}".strip()


def _shown(paths: Sequence[str]) -> str:
    """The move of a commit, else the paths."""
    moves = [path.rpartition("/")[2] for path in paths if "/journal/" in path]
    return ", ".join(moves or [path.removeprefix("runs/") for path in paths[:3]])
