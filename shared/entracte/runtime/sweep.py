"""Sweep: what is due and has not moved is looked at again, a bounded number of times, then stalled visibly."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from entracte.core.addresses import action_path, frame_path, run_path, step_actions
from entracte.core.documents.action import Action, Lease
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE, due_messages, execute_message
from entracte.core.frames.stalling import stall
from entracte.core.messages import Message
from entracte.core.outcome import Docs, Outcome, Put, Situation
from entracte.core.undo.progress import undo_message
from entracte.errors import StaleWrite, TerminalError
from entracte.ports.bus import Bus
from entracte.ports.store import Query
from entracte.runtime import queries
from entracte.runtime.engine import Engine
from entracte.runtime.repository import Loaded

log = logging.getLogger("entracte")

PAGE = 50
"""Documents of one kind that one sweep looks at."""

DUE_KINDS = ("actions", "frames", "gates", "runs")
"""Collections whose documents may be due."""

MAX_SWEEPS = 6
"""Sweeps that find a frame unmoved before it is stalled; with the pauses between them, about half a day."""


class Sweep:
    """Looks at frames and actions whose time has come. Several sweeps at once do no harm: commits are optimistic."""

    def __init__(self, engine: Engine, bus: Bus) -> None:
        self._engine = engine
        self._bus = bus

    def run(self) -> int:
        """Look at one page of each kind. Gives how many documents were looked at."""
        now = self._engine.clock.now()
        wanted = (*(queries.due(kind, now, limit=PAGE) for kind in DUE_KINDS), queries.edited_gates(limit=PAGE))
        return sum(self._each(query, self._look_at) for query in wanted)

    def release(self, is_dead: Callable[[str], bool]) -> int:
        """Bring forward at once what processes that have died left behind, whenever it is due.

        Args:
            is_dead: Whether the process of that worker name is known to have ended.
        """

        def release_one(path: str, document: Document) -> int:
            match document:
                case Frame() if is_dead(document.worker):
                    return self._bring_forward(path, document)
                case Action() if (lease := _lease(document)) is not None and is_dead(lease.worker):
                    return self._end_lease(path, document)
                case Run() if document.undo is not None:  # whoever was at it, a second message does no harm
                    return self._look_at(path, document)
                case _:
                    return 0

        return sum(
            self._each(queries.moving(kind, limit=1000, after=None), release_one)
            for kind in ("actions", "frames", "runs")
        )

    def _look_at(self, path: str, document: Document) -> int:
        match document:
            case Frame():
                self._bring_forward(path, document)
            case Action():
                self._look_again_later(path, document)
                self._bus.publish((_message_for(document),))
            case Gate():  # its time is up, a reminder is due, or it carries a decision without an author
                self._bus.publish(
                    (Message(kind="approve", run=document.run, session=document.z.session, gate=document.id),)
                )
            case Run() if document.status == "undoing" and document.undo is not None:
                self._bus.publish((undo_message(document, document.undo.current),))
            case _:
                pass
        return 1

    def _each(self, query: Query, do: Callable[[str, Document], int]) -> int:
        """Do it to each document found, whatever becomes of the others. What cannot be read stays due."""
        unreadable: list[TerminalError] = []
        count = 0
        for path, document in self._engine.repository.query(query, unreadable=unreadable).documents.items():
            try:
                count += do(path, document)
            except (StaleWrite, TerminalError) as error:
                log.warning("sweep_skipped path=%s %s", path, error)
        for fault in unreadable:
            log.warning("sweep_skipped %s", fault)
        return count

    def _bring_forward(self, path: str, frame: Frame) -> int:
        """Move `due` on with the count, in one commit, then publish what the frame calls for."""
        ids = step_actions(frame.id, frame.cursor.step, frame.calls) if frame.cursor.phase == "execute" else ()
        wanted = (
            run_path(frame.run),
            path,
            *(p for id in ids for p in (action_path(frame.run, id), frame_path(frame.run, id))),
        )
        loaded = self._engine.repository.load(wanted)
        docs = Docs(loaded.documents)
        run, now_frame = docs.run(frame.run), docs.frame(frame.run, frame.id)
        if run is None or now_frame is None or now_frame.rev != frame.rev:
            return 0
        children = {id: child for id in ids if (child := docs.frame(frame.run, id)) is not None}
        now = self._engine.clock.now()
        messages = due_messages(
            now_frame, docs.actions(run.id, ids), children, light=self._engine.blueprint.is_light(frame.agent), now=now
        )
        if now_frame.sweeps >= MAX_SWEEPS and messages and not run.closed:
            reason = f"Nothing has moved it after {MAX_SWEEPS} tries."
            self._engine.apply((run_path(run.id), path), lambda s: self._stalled(s, run.id, frame.id, reason))
            return 1
        self._move_due(loaded, path, now_frame, run, now, counted=bool(messages))
        if not run.closed:
            self._bus.publish(messages)
        return 1

    def _move_due(self, loaded: Loaded, path: str, frame: Frame, run: Run, now: datetime, *, counted: bool) -> None:
        """A frame that only waits for its calls and children is not stuck: its count stays."""
        sweeps = frame.sweeps + 1 if counted else frame.sweeps
        due = None if run.closed else now + PHASE_DUE * 2 ** min(sweeps, 5)
        after = frame.evolve(due=due, sweeps=sweeps, worker=self._engine.process.worker)
        self._engine.repository.commit(loaded, (Put(path, after),))

    def _look_again_later(self, path: str, action: Action) -> None:
        """Move `due` on, so that calls which cannot be brought forward never fill the page and hide the others."""
        loaded = self._engine.repository.load((path,))
        found = Docs(loaded.documents).find(path, Action)
        if found is not None and found.rev == action.rev:
            later = found.evolve(due=self._engine.clock.now() + PHASE_DUE)
            self._engine.repository.commit(loaded, (Put(path, later),))

    def _end_lease(self, path: str, action: Action) -> int:
        loaded = self._engine.repository.load((path,))
        found = Docs(loaded.documents).find(path, Action)
        if found is None or found.rev != action.rev or (lease := _lease(found)) is None:
            return 0
        now = self._engine.clock.now()
        over = lease.model_copy(update={"expires": now - timedelta(milliseconds=1)})
        ended = found.evolve(lease=over, due=now)
        if found.status == "reverting" and found.reversal is not None:
            ended = found.evolve(reversal=found.reversal.model_copy(update={"lease": over}), due=now)
        self._engine.repository.commit(loaded, (Put(path, ended),))
        self._bus.publish((_message_for(found),))
        return 1

    @staticmethod
    def _stalled(s: Situation, run_id: str, frame_id: str, reason: str) -> Outcome:
        run, frame = s.docs.run(run_id), s.docs.frame(run_id, frame_id)
        if run is None or frame is None:
            return Outcome(note="gone")
        return stall(s, run, frame, reason=reason)


def _lease(action: Action) -> Lease | None:
    """Under which its call is made, or the inverse of it."""
    if action.status == "reverting":
        return action.reversal.lease if action.reversal is not None else None
    return action.lease


def _message_for(action: Action) -> Message:
    """What looks at an action whose lease has ended."""
    if action.status == "reverting":
        return Message(kind="undo", run=action.run, session=action.session, action=action.id)
    return execute_message(action)
