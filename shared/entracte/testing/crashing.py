"""A process that dies at a chosen port call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from entracte.core.messages import Message
from entracte.errors import AmbiguousCommit
from entracte.ports.bus import Bus
from entracte.ports.store import Query, Store, Stored, Version, Write

T = TypeVar("T")


class Crash(BaseException):
    """The process has died. Not an Exception, so that nothing on the way can handle it."""


class Fuse:
    """Counts port calls and blows at a chosen one.

    Attributes:
        calls: Port calls so far, as ``kind before`` and ``kind after`` points.
        at: Point at which the process dies, counted from 0; None never.
    """

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.points: list[str] = []

    def point(self, name: str) -> None:
        """Pass a point, or die there."""
        self.points.append(name)
        if self.at == len(self.points) - 1:
            raise Crash(name)


def each_death(run_with: Callable[[Fuse], T]) -> Iterator[tuple[str, T]]:
    """What comes of doing something in a process that dies nowhere, and then at each of its points in turn.

    Args:
        run_with: Does it from the start, with the fuse.
    """
    whole = Fuse()
    yield "nowhere", run_with(whole)
    for at, point in enumerate(whole.points):
        yield f"{point}, point {at}", run_with(Fuse(at))


class CrashingStore:
    """A store in front of another, with points before and after each commit and before each read."""

    def __init__(self, store: Store, fuse: Fuse) -> None:
        self._store = store
        self._fuse = fuse

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        self._fuse.point("before load")
        return self._store.load(paths)

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        self._fuse.point("before commit")
        versions = self._store.commit(writes)
        self._fuse.point("after commit")
        return versions

    def query(self, query: Query) -> Sequence[Stored]:
        return self._store.query(query)

    def close(self) -> None:
        self._store.close()


class CrashingBus:
    """A bus in front of another, with points before and after each publish."""

    def __init__(self, bus: Bus, fuse: Fuse) -> None:
        self._bus = bus
        self._fuse = fuse

    def publish(self, messages: Sequence[Message]) -> None:
        self._fuse.point("before publish")
        self._bus.publish(messages)
        self._fuse.point("after publish")

    def close(self) -> None:
        self._bus.close()


class AmbiguousStore(CrashingStore):
    """Instead of dying, the chosen commit succeeds and reports that nobody knows whether it did."""

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        versions = self._store.commit(writes)
        try:
            self._fuse.point("commit")
        except Crash:
            raise AmbiguousCommit("The store did not answer in time.") from None
        return versions
