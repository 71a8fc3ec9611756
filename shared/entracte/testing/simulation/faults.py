"""What can go wrong at a call of a port."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

PortKind = Literal["load", "query", "commit", "publish", "model", "prepare", "read", "change", "clock", "time"]
"""What is called. `read` and `change` call a tool, by what it is declared as; `clock` is the first look of a delivery
at the clock, `time` every later one."""


class Fault(StrEnum):
    """One thing that goes wrong. What it does to the call is in `entracte.testing.simulation.faulty`."""

    CRASH_BEFORE = "crash before"
    CRASH_AFTER = "crash after"
    UNAVAILABLE = "unavailable"
    ANSWER_LOST = "done, but the answer is lost"
    NOT_DONE = "deadline, and not done"
    CONFLICT = "conflict"
    LOST = "message lost"
    DUPLICATED = "message duplicated"
    REORDERED = "message overtaken by all others"
    DELAYED = "message delayed beyond the lease"
    OVERTAKEN = "overtaken by others"
    PAUSED = "paused beyond the lease"
    AHEAD = "clock 20 minutes ahead"
    BEHIND = "clock 20 minutes behind"
    TIMED_OUT = "timed out without acting"
    ACTED_UNHEARD = "acted, its end is never heard"
    ACTED_HEARD_LATE = "acted, its end is heard late"
    ACTED_LATE = "timed out, acts later"


FAULTS: Mapping[PortKind, tuple[Fault, ...]] = {
    "load": (Fault.CRASH_BEFORE, Fault.UNAVAILABLE, Fault.OVERTAKEN, Fault.PAUSED),
    "query": (Fault.CRASH_BEFORE, Fault.UNAVAILABLE, Fault.OVERTAKEN, Fault.PAUSED),
    "commit": (
        Fault.CRASH_BEFORE,
        Fault.CRASH_AFTER,
        Fault.UNAVAILABLE,
        Fault.ANSWER_LOST,
        Fault.NOT_DONE,
        Fault.CONFLICT,
        Fault.OVERTAKEN,
        Fault.PAUSED,
    ),
    "publish": (
        Fault.CRASH_BEFORE,
        Fault.CRASH_AFTER,
        Fault.UNAVAILABLE,
        Fault.ANSWER_LOST,
        Fault.LOST,
        Fault.DUPLICATED,
        Fault.REORDERED,
        Fault.DELAYED,
        Fault.OVERTAKEN,
        Fault.PAUSED,
    ),
    "model": (Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.UNAVAILABLE, Fault.OVERTAKEN, Fault.PAUSED),
    "prepare": (Fault.CRASH_BEFORE, Fault.OVERTAKEN, Fault.PAUSED),
    "read": (Fault.CRASH_BEFORE, Fault.OVERTAKEN, Fault.PAUSED, Fault.TIMED_OUT),
    "change": (
        Fault.CRASH_BEFORE,
        Fault.CRASH_AFTER,
        Fault.OVERTAKEN,
        Fault.PAUSED,
        Fault.TIMED_OUT,
        Fault.ACTED_UNHEARD,
        Fault.ACTED_HEARD_LATE,
        Fault.ACTED_LATE,
    ),
    "clock": (Fault.AHEAD, Fault.BEHIND),
    "time": (),
}
"""Faults that a kind of call can meet. A handler that is overtaken stands still while nothing else does; one that is
paused stands still until its lease is over and its message has been delivered again. Either goes on later, with that
call. A pause after a call is one before the next."""

AT_A_READ: frozenset[Fault] = frozenset({Fault.TIMED_OUT})
"""At a `read`, this is no fault of the engine's to mend: the agent is told, and the run goes another way."""
