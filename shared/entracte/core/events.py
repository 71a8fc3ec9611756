"""Events as observers and clients get them: one list for journal, observers and streams."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from entracte.core.documents.journal import Entry, EventRecord, EventType
from entracte.core.documents.live import Live
from entracte.core.modelling import Delta, Usage
from entracte.core.payload import Payload
from entracte.errors import InvalidInput


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened in a run.

    Attributes:
        parents: Frames that the frame lies in, outermost first.
        step: Step of the frame.
        phase: Phase that made the move.
        duration_ms: Of the move that it belongs to.
        usage: Model usage of the move; on the move's last event only, so that sums are right.
        data: What is particular to the type.
    """

    type: EventType
    run_id: str
    frame_id: str
    agent: str
    parents: tuple[str, ...]
    step: int
    phase: str
    at: datetime
    duration_ms: int
    usage: Usage
    data: Any
    v: int = 1

    def as_json(self) -> dict[str, Any]:
        """The event as a JSON object."""
        return asdict(self) | {
            "at": self.at.isoformat(timespec="milliseconds"),
            "usage": asdict(self.usage),
            "parents": list(self.parents),
        }


def record(type: EventType, /, **data: Any) -> EventRecord:
    """An event for the journal. What cannot be kept together with the rest is left out and named."""
    try:
        return EventRecord(type=type, data=Payload.of(data))
    except InvalidInput:  # each part fits into a payload, but together they are too large or too deep
        short = {name: value for name, value in data.items() if _is_short(value)}
        return EventRecord(type=type, data=Payload.of(short | {"left_out": [n for n in data if n not in short]}))


def _is_short(value: Any) -> bool:
    return not isinstance(value, (dict, list)) and len(str(value)) <= 2000


def events_of(entry: Entry) -> tuple[Event, ...]:
    """The events of a journal entry. A move that used a model and says nothing else is a thought without words."""
    events = entry.events or ((record("thought", text=""),) if entry.usage != Usage() else ())
    last = len(events) - 1
    return tuple(
        Event(
            type=event.type,
            run_id=entry.run,
            frame_id=entry.frame,
            agent=entry.agent,
            parents=parents_of(entry.frame),
            step=entry.step,
            phase=entry.phase,
            at=entry.at,
            duration_ms=entry.duration_ms,
            usage=entry.usage if index == last else Usage(),
            data=event.data.value,
        )
        for index, event in enumerate(events)
    )


def delta_event(live: Live, delta: Delta) -> Event:
    """A piece of a reply that is being written. It is told and not kept: the whole comes with the journal."""
    return Event(
        type="model.delta",
        run_id=live.run,
        frame_id=live.frame,
        agent=live.agent,
        parents=parents_of(live.frame),
        step=live.step,
        phase=live.phase,
        at=live.at,
        duration_ms=0,
        usage=Usage(),
        data={"kind": delta.kind, "text": delta.text},
    )


def parents_of(frame: str) -> tuple[str, ...]:
    """Ids of the frames around a frame, outermost first. They are in its id: ``run.step.index.step.index``."""
    parts = frame.split(".")
    return tuple(".".join(parts[:length]) for length in range(1, len(parts), 2))
