"""A message that came back too often: its run is stalled, with the reason, instead of being tried in silence.

First its subject is looked at as a phase would look at it. What has moved on meanwhile, or is being worked on under a
lease that has not ended, is none of its business any more.
"""

from __future__ import annotations

import logging

from entracte.core.addresses import action_path, entry_path, frame_path, run_path, session_path
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.journal import Entry
from entracte.core.due import frame_of
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.stalling import stall
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, nothing
from entracte.core.payload import readable
from entracte.core.situation import Situation
from entracte.core.undo.progress import give_up_undo
from entracte.core.undo.telling import with_notice
from entracte.errors import EntracteError, TerminalError
from entracte.raised_at import raised_at
from entracte.runtime.engine.engine import Engine

log = logging.getLogger("entracte")


def give_up(engine: Engine, message: Message, reason: str) -> str:
    """Stall the frame that the message is about, or stop the undo. Gives a word for the log.

    One about a gate is only logged: people can decide it all the same, and sweep counts what it cannot announce.

    Raises:
        RetryableError: The store cannot be reached.
    """
    reason = engine.withholding.scrub(reason)
    log.error("message_given_up kind=%s run_id=%s gate=%s %s", message.kind, message.run, message.gate, reason)
    if message.kind == "undo":
        return _said(stop_undo(engine, message, reason), "stopped")
    if message.gate or not (message.frame or message.action):
        return "logged"
    frame_id = frame_of(message)
    fault = entry_path(message.run, _fault_id(message))
    paths = [run_path(message.run), frame_path(message.run, frame_id), fault]
    if message.action:
        paths += [action_path(message.run, message.action), frame_path(message.run, message.action)]

    def decide(s: Situation) -> Outcome:
        run, frame = s.docs.run(message.run), s.docs.frame(message.run, frame_id)
        if run is None or frame is None:
            return nothing("gone")
        if not _stands_still(s, message, frame):
            return nothing("its subject has moved on, or is being worked on")
        noted = s.docs.find(fault, Entry)
        first = noted.events[0].data.value["message"] if noted is not None and noted.events else ""
        return stall(s, run, frame, reason=f"{reason} {first}".strip())

    return _said(engine.apply(paths, decide), "stalled")


def stop_undo(engine: Engine, message: Message, reason: str) -> Outcome:
    """Stop the undo where it is, unless it has moved on. A session that cannot be read is not told.

    Args:
        message: Of its next move.
    """

    def decide(s: Situation) -> Outcome:
        run = s.docs.run(message.run)
        if run is None or run.status != "undoing" or run.undo is None or message.action != run.undo.current:
            return nothing("moved on")
        stopped = give_up_undo(s, run, reason)
        told = with_notice(s, stopped)
        return told if isinstance(told, Outcome) else stopped

    path = run_path(message.run)
    action = (action_path(message.run, message.action),) if message.action else ()
    try:
        return engine.apply((path, session_path(message.session), *action), decide)
    except TerminalError:
        return engine.apply((path,), decide)


def note_fault(engine: Engine, message: Message, error: Exception) -> None:
    """Put a bug into the run's journal, once for each subject, before its message comes again."""
    if not (message.frame or message.action):
        return
    frame_id, path = frame_of(message), entry_path(message.run, _fault_id(message))
    reason = engine.withholding.scrub(reason_of(error))

    def decide(s: Situation) -> Outcome:
        frame = s.docs.frame(message.run, frame_id)
        if frame is None or s.docs.find(path, Entry) is not None:
            return nothing("gone, or noted before")
        entry = frame_entry(s, frame, "", phase=message.kind, events=(record("error", message=reason),))
        return Outcome(entry=entry.evolve(id=_fault_id(message)))

    try:
        engine.apply((frame_path(message.run, frame_id), path), decide)
    except Exception:  # the bug itself matters more, and may be the reason
        log.exception("fault_not_noted run_id=%s", message.run)


def reason_of(error: BaseException) -> str:
    """An error in words: ours as they say it, others with their kind, and with their place in an author's code."""
    if isinstance(error, EntracteError):
        return str(error)
    return readable(f"{type(error).__name__}{raised_at(error)}: {error}", 500)


def _fault_id(message: Message) -> str:
    subject = message.action or f"{message.frame}.{message.step}"
    return f"{subject}.{message.kind}.fault"


def _stands_still(s: Situation, message: Message, frame: Frame) -> bool:
    """Whether what the message asks for has still to be done, and nobody is at it."""
    match message.kind:
        case "execute":
            action = s.docs.action(message.run, message.action)
            return action is not None and _waits(s, action, frame)
        case "evaluate":
            return frame.cursor == Cursor(step=message.step, phase="execute")
        case _:
            before = Cursor(step=message.step - 1, phase="execute")  # a light agent plans with the step's results
            return frame.cursor == before or (
                frame.cursor.step == message.step and frame.cursor.phase in ("route", "interpret", "plan")
            )


def _waits(s: Situation, action: Action, frame: Frame) -> bool:
    if action.is_ended:
        return frame.cursor == Cursor(step=action.step, phase="execute")
    if action.kind == "agent" and action.status == "started":
        child = s.docs.frame(action.run, action.id)
        return child is not None and (child.ended or child.parked)
    return not action.awaits_person and (action.lease is None or action.lease.expires <= s.now)


def _said(outcome: Outcome, word: str) -> str:
    return outcome.note or word
