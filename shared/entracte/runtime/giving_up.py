"""A message that came back too often: its run is stalled, with the reason, instead of being tried in silence."""

from __future__ import annotations

import logging

from entracte.core.addresses import frame_path, run_path
from entracte.core.due import frame_of
from entracte.core.frames.stalling import stall
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Situation
from entracte.runtime.engine import Engine

log = logging.getLogger("entracte")


def give_up(engine: Engine, message: Message, reason: str) -> None:
    """Stall the frame that the message is about. One about a gate is only logged: people can decide it all the same.

    Raises:
        RetryableError: The store cannot be reached.
    """
    log.error("message_given_up kind=%s run_id=%s gate=%s %s", message.kind, message.run, message.gate, reason)
    if message.gate or not (message.frame or message.action):
        return
    frame_id = frame_of(message)

    def decide(s: Situation) -> Outcome:
        run, frame = s.docs.run(message.run), s.docs.frame(message.run, frame_id)
        return stall(s, run, frame, reason=reason) if run is not None and frame is not None else Outcome(note="gone")

    engine.apply((run_path(message.run), frame_path(message.run, frame_id)), decide)
