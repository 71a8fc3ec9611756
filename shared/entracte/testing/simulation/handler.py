"""One piece of work that a process does: it can be stopped at any call of a port and taken up again much later.

Between calls of ports the runtime is a function of what they answered. So a stopped handler is nothing but the answers
so far: it goes on by being done once more, hearing the same answers up to where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from entracte.core.messages import Message
from entracte.runtime.compose import Runtime
from entracte.testing.simulation.effects import HeardEnd
from entracte.testing.simulation.faults import PortKind


class Crash(BaseException):
    """The process has died. Not an Exception, so that nothing on the way can handle it."""


class Stopped(BaseException):
    """The handler stands still before a call, and goes on later.

    Attributes:
        long: Until its lease has ended, and its message has been delivered again.
    """

    def __init__(self, *, long: bool = False) -> None:
        self.long = long


@dataclass(frozen=True, slots=True)
class Reply:
    """What a port answered: a value, or an error to raise."""

    value: Any = None
    error: Exception | None = None

    def give(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


Before = tuple[PortKind, Callable[[], Any]]
"""A call of a port that has not been made: its kind, and how it is made."""


@dataclass(slots=True)
class Handler:
    """One delivery of a message, or one act of a client.

    Attributes:
        number: Counts all handlers of a simulation, from 1.
        name: For the trace.
        act: What it does with the runtime.
        message: What it delivers; None for a client's act.
        tries: How often a client has tried it.
        insists: Of a client: whoever gets no answer tries again.
        taken_over: It stood still for so long that it was begun anew elsewhere.
        skew: How far its process's clock is off.
        replies: What ports have answered so far.
        before: The call that it stands before, in an exploration.
        ends: How the changing calls ended that it has heard of.
    """

    number: int
    name: str
    act: Callable[[Runtime], object]
    message: Message | None = None
    tries: int = 1
    insists: bool = True
    taken_over: bool = False
    skew: timedelta = timedelta(0)
    replies: list[Reply] = field(default_factory=list)
    before: Before | None = None
    ends: list[HeardEnd] = field(default_factory=list)
    _heard: int = 0
    _tokens: int = 0
    _looked_at_clock: bool = False

    def begin(self) -> None:
        """Before it is done, for the first time or once more."""
        self._heard = self._tokens = 0
        self.ends.clear()
        self._looked_at_clock = False

    def heard_before(self) -> Reply | None:
        """The answer that this call got when the handler was done before; None for a call that was never made."""
        if self._heard == len(self.replies):
            return None
        self._heard += 1
        return self.replies[self._heard - 1]

    def hears(self, reply: Reply) -> Any:
        """Take a new answer."""
        self.replies.append(reply)
        self._heard += 1
        return reply.give()

    def token(self) -> str:
        """The next random text of its process: the same whenever it is done once more."""
        self._tokens += 1
        return f"{self.number:06x}{self._tokens:014x}"

    def first_look_at_clock(self) -> bool:
        first, self._looked_at_clock = not self._looked_at_clock, True
        return first

    def copy(self) -> Handler:
        """For another future of the same past."""
        return replace(self, replies=list(self.replies), ends=list(self.ends))
