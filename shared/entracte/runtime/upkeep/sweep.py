"""Sweep: what is due and has not moved is looked at again, a bounded number of times, then stalled visibly."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

from msgspec.structs import replace

from entracte.core.addresses import action_path, frame_path, run_path, step_actions
from entracte.core.documents.action import Action, Lease
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE, due_messages, execute_message, memorize_message
from entracte.core.frames.stalling import stall
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Docs, Situation
from entracte.core.undo.progress import undo_message
from entracte.errors import RetryableError, StaleWrite, TerminalError
from entracte.ports.bus import Bus
from entracte.ports.store import Query
from entracte.runtime.engine import queries
from entracte.runtime.engine.closing_gates import closing_messages
from entracte.runtime.engine.engine import Engine
from entracte.runtime.engine.giving_up import stop_undo
from entracte.runtime.engine.process import MARGIN
from entracte.runtime.engine.repository import Loaded
from entracte.runtime.upkeep.retention import Retention

log = logging.getLogger("entracte")

PAGE = 50
"""Documents of one kind that are read at a time."""

MAX_PAGES = 40
"""Pages of one kind that one sweep looks at; the next one goes on."""

MAX_RELEASED = 100_000
"""Documents of one kind that an embedded start looks at."""

MAX_KNOWN = 10_000
"""Runs of which a sweep remembers whose they are."""

DUE_KINDS = ("actions", "frames", "gates", "runs")
"""Collections whose documents may be due."""

MAX_SWEEPS = 6
"""Sweeps that find a frame unmoved before it is stalled; with the pauses between them, about a day."""


class Sweep:
    """Looks at frames and actions whose time has come. Several sweeps at once do no harm: commits are optimistic."""

    def __init__(self, engine: Engine, bus: Bus) -> None:
        self._engine = engine
        self._bus = bus
        self._until: datetime | None = None
        self._is_anothers = lru_cache(MAX_KNOWN)(self._find_anothers)  # a run never changes its network

    def run(self) -> int:
        """Look at what is due, page by page, within the time of one delivery. Gives how many documents that were."""
        now = self._engine.clock.now()
        self._until = now + self._engine.process.timeout - MARGIN
        wanted = [*(queries.due(kind, now, limit=PAGE) for kind in DUE_KINDS), queries.edited_gates(limit=PAGE)]
        looked_at = sum(self._each(query, self._look_at) for query in wanted)
        retention = Retention(self._engine.repository, self._engine.process, self._is_over)
        return looked_at + (0 if self._is_over() else retention.run(now))

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
                case Action() if document.status == "approved":  # perhaps by one of them, before it could say so
                    self._bus.publish((execute_message(document),))
                    return 1
                case Run() if document.status == "undoing" and document.undo is not None:
                    self._bus.publish((undo_message(document, document.undo.current),))  # twice does no harm
                    return 1
                case Run() if document.closed:
                    return self._look_at_closed(path, document)
                case _:
                    return 0

        self._until = None
        return sum(
            self._each(queries.moving(kind, limit=1000, after=None), release_one, pages=MAX_RELEASED // 1000)
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
                return self._look_at_gate(path, document)
            case Run() if document.status == "undoing" and document.undo is not None:
                self._look_at_undo(path, document)
            case Run() if document.closed:
                self._look_at_closed(path, document)
            case _:
                pass
        return 1

    def _each(self, query: Query, do: Callable[[str, Document], int], *, pages: int = MAX_PAGES) -> int:
        """Do it to each document found, whatever becomes of the others. What cannot be read stays due."""
        count = 0
        for _ in range(pages):
            unreadable: list[TerminalError] = []
            page = self._engine.repository.query(query, unreadable=unreadable)
            for path, document in page.documents.items():
                if self._is_over():
                    return count
                try:
                    count += 0 if self._is_left(document) else do(path, document)
                except (StaleWrite, TerminalError) as error:
                    log.warning("sweep_skipped path=%s %s", path, error)
                except RetryableError:
                    raise  # store or broker: nothing else would work now
                except Exception:
                    log.exception("sweep_failed path=%s", path)  # a bug at one must not hide all behind it for ever
            for fault in unreadable:
                log.warning("sweep_skipped %s", fault)
            if page.end is None:
                break
            query = replace(query, after=page.end)
        return count

    def _is_left(self, document: Document) -> bool:
        """Whether another network's process looks at it: it stays due, and is not counted."""
        if not self._engine.process.only_network:
            return False
        match document:
            case Run():
                return self._engine.process.leaves(document)
            case Frame() | Action() | Gate():
                return self._is_anothers(document.run)
            case _:
                return False

    def _find_anothers(self, run_id: str) -> bool:
        run = Docs(self._engine.repository.load((run_path(run_id),)).documents).run(run_id)
        return run is not None and self._engine.process.leaves(run)

    def _is_over(self) -> bool:
        return self._until is not None and self._engine.clock.now() >= self._until

    def _look_at_closed(self, path: str, run: Run) -> int:
        """What is left to do for a closed run: move `due` on with the count, then ask for it, until nothing is left."""
        loaded = self._engine.repository.load((path,))
        found = Docs(loaded.documents).find(path, Run)
        if found is None or found.rev != run.rev:
            return 0
        messages = self._left_of(found) if run.sweeps < MAX_SWEEPS else ()
        later = self._engine.clock.now() + PHASE_DUE * 2**run.sweeps if messages else None
        self._engine.repository.commit(loaded, (Put(path, found.evolve(due=later, sweeps=found.sweeps + 1)),))
        self._bus.publish(messages)
        return 1

    def _left_of(self, run: Run) -> tuple[Message, ...]:
        """Deciding what to remember of its answer; telling its gates that nobody has to decide any more."""
        if run.status != "succeeded":
            return closing_messages(self._engine.repository, run.id)
        return (memorize_message(run.id, run.session),) if self._engine.blueprint.memory is not None else ()

    def _look_at_gate(self, path: str, gate: Gate) -> int:
        """Move `due` on with the count, in one commit, then ask approve. What it can do nothing about is stalled."""
        loaded = self._engine.repository.load((path,))
        found = Docs(loaded.documents).gate(gate.id)
        now, sweeps = self._engine.clock.now(), gate.z.sweeps + 1
        if found is None or found.rev != gate.rev or (gate.z.sweeps and (gate.due is None or gate.due > now)):
            return 0  # its decision was looked at a moment ago
        given_up = sweeps > MAX_SWEEPS
        due = None if given_up else now + PHASE_DUE * 2 ** min(sweeps, 5)
        counted = found.evolve(due=due, z=found.z.evolve(sweeps=sweeps))
        self._engine.repository.commit(loaded, (Put(path, counted),))
        if given_up:
            reason = f"Nothing has become of gate {gate.id} after {MAX_SWEEPS} tries: it was not told or not closed."
            paths = (run_path(gate.run), frame_path(gate.run, gate.z.frame))
            self._engine.apply(paths, lambda s: self._stalled(s, gate.run, gate.z.frame, reason))
        else:
            message = Message(kind="approve", run=gate.run, session=gate.z.session, gate=gate.id)
            self._bus.publish((message,))
        return 1

    def _look_at_undo(self, path: str, run: Run) -> None:
        """Move `due` on with the count, in one commit, then publish; past the last try the undo stops, visibly."""
        loaded = self._engine.repository.load((path,))
        found = Docs(loaded.documents).run(run.id)
        if found is None or found.rev != run.rev or found.undo is None:
            return
        if found.undo.sweeps >= MAX_SWEEPS:
            reason = f"Nothing has moved the undo after {MAX_SWEEPS} tries."
            stop_undo(self._engine, undo_message(found, found.undo.current), reason)
            return
        undo = found.undo.evolve(sweeps=found.undo.sweeps + 1)
        due = self._engine.clock.now() + PHASE_DUE * 2 ** min(undo.sweeps, 5)
        self._engine.repository.commit(loaded, (Put(path, found.evolve(undo=undo, due=due)),))
        self._bus.publish((undo_message(found, undo.current),))

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
        loaded = self._engine.repository.load((path, run_path(action.run)))
        docs = Docs(loaded.documents)
        found, run = docs.find(path, Action), docs.run(action.run)
        if found is not None and found.rev == action.rev:
            due = None if run is None or _is_given_up(run, found) else self._engine.clock.now() + PHASE_DUE
            self._engine.repository.commit(loaded, (Put(path, found.evolve(due=due)),))

    def _end_lease(self, path: str, action: Action) -> int:
        loaded = self._engine.repository.load((path,))
        found = Docs(loaded.documents).find(path, Action)
        if found is None or found.rev != action.rev or (lease := _lease(found)) is None:
            return 0
        now = self._engine.clock.now()
        over = lease.evolve(expires=now - timedelta(milliseconds=1))
        ended = found.evolve(lease=over, due=now)
        if found.status == "reverting" and found.reversal is not None:
            ended = found.evolve(reversal=found.reversal.evolve(lease=over), due=now)
        self._engine.repository.commit(loaded, (Put(path, ended),))
        self._bus.publish((_message_for(found),))
        return 1

    @staticmethod
    def _stalled(s: Situation, run_id: str, frame_id: str, reason: str) -> Outcome:
        run, frame = s.docs.run(run_id), s.docs.frame(run_id, frame_id)
        if run is None or frame is None:
            return Outcome(note="gone")
        return stall(s, run, frame, reason=reason)


def _is_given_up(run: Run, action: Action) -> bool:
    """Whether it waits for somebody who has the run resumed, or undone once more: then it is looked at again."""
    return run.status != "undoing" if action.status == "reverting" else action.frame in run.stalled


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
