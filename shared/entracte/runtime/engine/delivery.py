"""One message on its way through a phase: the moves that every phase makes, written once.

    load documents → decide (pure) → one effect → conclude (pure) → commit → publish

A delivery may take several such turns. An effect's result is kept in hand across lost races: the documents are read
again and the phase concludes again, so that no model is asked twice and no change goes unrecorded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace

from entracte.core.addresses import run_path
from entracte.core.calls import ToolOutcome
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.effects import Effect, Fetch, Result
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation
from entracte.errors import ModelUnavailable, RetryableError
from entracte.runtime.engine.artifact_index import active_artifacts
from entracte.runtime.engine.process import MARGIN

if TYPE_CHECKING:
    from entracte.runtime.engine.engine import Engine

log = logging.getLogger("entracte")

MAX_TURNS = 12
"""Turns of one delivery: more than any phase takes, so that a bug cannot spin."""

MAX_RACES = 20
"""Commits of one delivery that may lose a race before the message is given back."""

Perform = Callable[[Effect, float], Result]
"""Does an effect within so many seconds. Raises RetryableError when it should be tried again later."""


Attend = Callable[[ToolOutcome], None]
"""Of whoever asked for a call and waits for its end: is told how it ended, before it is recorded."""


class Phase(Protocol):
    """What a phase module offers."""

    def paths(self, message: Message, /) -> tuple[str, ...]: ...

    def decide(self, s: Situation, message: Message, /) -> Fetch | Effect | Outcome: ...

    def conclude(self, s: Situation, message: Message, effect: Any, result: Any, /) -> Outcome | Fetch: ...


class Delivery:
    """One delivery of one message."""

    def __init__(self, engine: Engine, phase: Phase, message: Message, *, attended: Attend | None = None) -> None:
        self._engine = engine
        self._phase = phase
        self._message = message
        self._attended = attended
        self._id = engine.process.new_token()
        self._deadline = engine.clock.now() + engine.process.timeout - MARGIN
        self._committed = False
        self._races = 0
        self._load()

    def run(self) -> str:
        """Take turns until the phase has no more. Gives the last move, or why there was none."""
        if self._is_anothers and self._message.answer is None:
            log.warning(
                "message_left kind=%s run_id=%s its run is another network's", self._message.kind, self._message.run
            )
            return "left to the run's own network"
        for _ in range(MAX_TURNS):
            outcome = self._turn()
            if outcome is not None and (self._is_anothers or not outcome.more):
                return outcome.note or (outcome.entry.id if outcome.entry is not None else "published")
        raise RetryableError(f"No end after {MAX_TURNS} turns: {self._message}", code="endless")

    def take(self, effect: Effect, result: Result) -> str:
        """Record the result of an effect that outlived the delivery which began it, then go on as usual."""
        outcome = self._concluded(effect, result, self._engine.clock.now())
        return self.run() if outcome.more else outcome.note or (outcome.entry.id if outcome.entry is not None else "")

    def _turn(self) -> Outcome | None:
        """Decide, do the effect, conclude, commit. None when the documents have to be looked at again."""
        began = self._engine.clock.now()
        move = self._phase.decide(self._situation(), self._message)
        match move:
            case Fetch():
                self._fetch(move)
                return None
            case Outcome():
                move = _for_its_own(move, began) if self._is_anothers else move
                return move if self._commit(move, began) else None
            case _:
                return self._after_effect(move, began)

    def _after_effect(self, move: Effect, began: datetime) -> Outcome:
        try:
            result = self._engine.perform(move, (self._deadline - began).total_seconds())
        except ModelUnavailable as error:
            if self._message.frame:
                self._engine.wait_for_model(self._message, self._id, str(error))
            raise
        if self._attended is not None and isinstance(result, ToolOutcome):
            self._attended(result)
        return self._concluded(move, result, began)

    def _concluded(self, move: Effect, result: Result, began: datetime) -> Outcome:
        """Conclude and commit, again after each lost race: the result stays in hand."""
        while True:
            outcome = self._phase.conclude(self._situation(), self._message, move, result)
            if isinstance(outcome, Fetch):
                self._fetch(outcome)
            elif self._commit(outcome, began):
                return outcome

    def _commit(self, outcome: Outcome, began: datetime) -> bool:
        """Whether it was committed. If a race was lost, the documents have been read again.

        Raises:
            RetryableError: Too many races were lost, or the store fails in every commit.
        """
        if self._engine.commits.commit(self._loaded, outcome, began=began):
            self._committed = self._committed or outcome.entry is not None
            if self._loaded.stale:
                self._load()
            return True
        self._races += 1
        if self._races == MAX_RACES:
            raise self._loaded.failure or RetryableError(f"Lost {MAX_RACES} races: {self._message}", code="contended")
        self._engine.process.pause(self._races)
        self._load()
        return False

    def _fetch(self, move: Fetch) -> None:
        self._loaded.add(self._engine.repository.load(move.paths))
        for shelf in move.shelves:
            self._loaded.add(active_artifacts(self._engine.repository, shelf))

    def _load(self) -> None:
        self._loaded = self._engine.repository.load(self._phase.paths(self._message))
        run = self._loaded.documents.get(run_path(self._message.run))
        self._is_anothers = isinstance(run, Run) and self._engine.process.leaves(run)

    def _situation(self) -> Situation:
        s = self._engine.situation(self._loaded, delivery=self._id)
        return replace(s, committed=self._committed, call_deadline=self._deadline, attended=self._attended is not None)


def _for_its_own(outcome: Outcome, now: datetime) -> Outcome:
    """A person's answer in another network's run: recorded here, and due at once for whoever goes on with the run."""

    def due_now(put: Put) -> Put:
        match put.document:
            case (Action() | Frame()) as moved if moved.due is not None:
                return Put(put.path, moved.evolve(due=now))
            case _:
                return put

    return replace(outcome, puts=tuple(map(due_now, outcome.puts)), messages=())
