"""A reply that came too late: another delivery has made the move. Nothing is done with it, but it was paid for."""

from __future__ import annotations

from entracte.core.addresses import frame_path
from entracte.core.effects import Shaped
from entracte.core.entry import frame_entry
from entracte.core.frames.spending import charge
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, Usage
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation
from entracte.errors import TerminalError


def drop(s: Situation, message: Message, result: ModelReply | Shaped | TerminalError, *, phase: str) -> Outcome:
    """Count what the reply cost, then look at the message again: what the other delivery made due may not be out."""
    frame = s.docs.frame(message.run, message.frame)
    if frame is None or not isinstance(result, ModelReply) or result.usage == Usage():
        return Outcome(more=True, note="moved on while the model was asked")
    entry = frame_entry(
        s,
        frame,
        f"{message.step}.{phase}.dropped.{s.delivery}",
        phase=phase,
        step=message.step,
        usage=result.usage,
        served=result.served,
    )
    puts = () if frame.ended else (Put(frame_path(frame.run, frame.id), charge(frame, result.usage)),)
    return Outcome(puts=puts, entry=entry, more=True, note="moved on while the model was asked; its reply is dropped")
