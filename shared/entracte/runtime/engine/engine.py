"""The engine: brings subjects forward by phases, and takes decisions from outside the phases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from importlib import import_module

from msgspec.structs import replace

from entracte.core.addresses import frame_path, gate_path, run_path
from entracte.core.blueprint import Blueprint
from entracte.core.calls import Call, ToolOutcome
from entracte.core.documents.gate import Gate
from entracte.core.effects import MakeCall
from entracte.core.frames.overload import wait_for_model
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, nothing
from entracte.core.pricing import Prices
from entracte.core.situation import Docs, Situation
from entracte.errors import RetryableError, TerminalError
from entracte.ports.clock import Clock
from entracte.ports.tracing import Span, Tracing
from entracte.runtime.engine.commits import Commits
from entracte.runtime.engine.delivery import MAX_RACES, Attend, Delivery, Perform, Phase
from entracte.runtime.engine.process import LEASE_MARGIN, MARGIN, Process
from entracte.runtime.engine.repository import Loaded, Repository
from entracte.runtime.engine.withholding import Unmasked, Withholding, masked_answer
from entracte.runtime.log import TRACEPARENT

PHASES = ("plan", "execute", "evaluate", "approve", "undo", "summarise", "memorize")
"""Modules of `entracte.core.phases`, by the kind of message that they handle."""


class Engine:
    """Handles messages. Keeps nothing between them."""

    def __init__(
        self,
        *,
        blueprint: Blueprint,
        repository: Repository,
        commits: Commits,
        clock: Clock,
        process: Process,
        perform: Perform,
        prices: Prices,
        withholding: Withholding | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self.blueprint = blueprint
        self.repository = repository
        self.commits = commits
        self.clock = clock
        self.process = process
        self.perform = perform
        self.prices = prices
        self.withholding: Withholding = withholding or Unmasked()
        self.tracing = tracing

    def handle(self, message: Message, *, attended: Attend | None = None) -> str:
        """Bring the message's subject forward. Gives a word for the log: the last move, or why there was none.

        Args:
            attended: Is told how the message's call ended, by whoever makes it here: an MCP client waits for it.

        Raises:
            RetryableError: Deliver the message again later.
            TerminalError: This message can never be handled.
        """
        if message.answer is not None:
            message = self._masked(message)
        if self.tracing is None:
            return Delivery(self, phase_of(message.kind), message, attended=attended).run()
        with handling(self.tracing, message) as span:
            TRACEPARENT.set(self.tracing.traceparent())  # also for the line that is logged at its end
            note = Delivery(self, phase_of(message.kind), message, attended=attended).run()
            span.set({"entracte.move": note})
            return note

    def late(self, call: Call, outcome: ToolOutcome) -> str:
        """Record how a call ended after its delivery had given it up: the run goes on from there."""
        message = Message(kind="execute", run=call.run, session=call.session, action=call.action)
        return Delivery(self, phase_of("execute"), message).take(MakeCall(call), outcome)

    def apply(self, paths: Iterable[str], decide: Callable[[Situation], Outcome]) -> Outcome:
        """Commit and publish a decision from outside the phases: starting, cancelling, stalling a run.

        Raises:
            Whatever `decide` raises; RetryableError when the store cannot be reached.
        """
        wanted = tuple(paths)
        for race in range(1, MAX_RACES + 1):
            began = self.clock.now()
            loaded = self.repository.load(wanted)
            outcome = decide(self.situation(loaded, delivery=self.process.new_token()))
            if self.commits.commit(loaded, outcome, began=began):
                return outcome
            self.process.pause(race)
        raise loaded.failure or RetryableError(f"Lost {MAX_RACES} races for {', '.join(wanted)}.", code="contended")

    def wait_for_model(self, message: Message, delivery: str, reason: str) -> None:
        """Note that a model's service is overloaded: time that the run waits for it is not its own."""

        def decide(s: Situation) -> Outcome:
            run, frame = s.docs.run(message.run), s.docs.frame(message.run, message.frame)
            if run is None or frame is None:
                return nothing("gone")
            return wait_for_model(replace(s, delivery=delivery), run, frame, reason=reason)

        self.apply((run_path(message.run), frame_path(message.run, message.frame)), decide)

    def _masked(self, message: Message) -> Message:
        """The message with what a person said to a gate as it may be kept."""
        if isinstance(self.withholding, Unmasked) or message.answer is None:
            return message
        path = gate_path(message.gate)
        gate = self.repository.load((path,)).documents.get(path)
        owner = gate.z.owner if isinstance(gate, Gate) else ""
        return message.evolve(answer=masked_answer(self.withholding, owner, message.answer))

    def situation(self, loaded: Loaded, *, delivery: str) -> Situation:
        """What a decision sees at this moment."""
        now = self.clock.now()
        return Situation(
            docs=Docs(loaded.documents, loaded.asked),
            now=now,
            blueprint=self.blueprint,
            delivery=delivery,
            worker=self.process.worker,
            kept_until=self.process.kept_until(now),
            lease_s=int((self.process.timeout + LEASE_MARGIN).total_seconds()),
            call_deadline=now + self.process.timeout - MARGIN,
            prices=self.prices,
        )


def handling(tracing: Tracing, message: Message) -> AbstractContextManager[Span]:
    """The span of a delivery. An answer to a gate, and an undo, begin a trace of their own: days may lie between."""
    from entracte.runtime.engine.traced import delivered  # only where traces are kept

    attributes = delivered(message)
    if not message.traceparent and (message.answer is not None or (message.kind == "undo" and not message.action)):
        return tracing.apart(message.run, message.kind, attributes)
    return tracing.resume(message.run, message.traceparent, message.kind, attributes)


def phase_of(kind: str) -> Phase:
    """The phase that handles a kind of message, imported when it is first asked for: a function has but one.

    Raises:
        TerminalError: None does.
    """
    if kind not in PHASES:
        raise TerminalError(f"Nothing handles messages of kind {kind!r}.")
    phase: Phase = import_module(f"entracte.core.phases.{kind}")  # a module is one
    return phase
