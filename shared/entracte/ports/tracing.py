"""The tracing port: spans of what is done, in traces that go through function processes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Literal, Protocol

Attributes = Mapping[str, str | int | float | bool]

SpanKind = Literal["internal", "client", "consumer", "server"]


class Span(Protocol):
    """Something that is being done. It ends with its block; what is raised there marks it as failed."""

    def set(self, attributes: Attributes) -> None:
        """Say more about it. Never what people, models or tools said."""
        ...

    def fail(self, kind: str) -> None:
        """It did not go well, although nothing is raised."""
        ...

    def discard(self) -> None:
        """It turned out to be nothing: do not tell of it."""
        ...


class Tracing(Protocol):
    """Opens spans. What goes wrong in it is nobody's business: it never raises."""

    def begin(self, run: str, name: str, attributes: Attributes) -> AbstractContextManager[Span]:
        """The first span of a run's first trace. Its ids are derived from the run, so that everybody knows them."""
        ...

    def resume(self, run: str, traceparent: str, name: str, attributes: Attributes) -> AbstractContextManager[Span]:
        """A span in the trace that a message came with; without one, in the run's first trace."""
        ...

    def apart(self, run: str, name: str, attributes: Attributes) -> AbstractContextManager[Span]:
        """The first span of a new trace, linked to the run's first one: days may lie between."""
        ...

    def within(self, name: str, kind: SpanKind, attributes: Attributes) -> AbstractContextManager[Span]:
        """A span within the one that is open in this thread."""
        ...

    def traceparent(self) -> str:
        """What messages carry on (https://www.w3.org/TR/trace-context/); empty outside of spans."""
        ...

    def close(self) -> None:
        """Tell of what has ended, and stop. Closing twice is no error."""
        ...
