"""Two who act at the same instant: the second moves between the first one's look and the first one's write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, local
from typing import Any, TypeVar

from entracte.errors import EntracteError
from entracte.ports.store import Query, Store, Stored, Version, Write
from entracte.runtime.compose import Runtime
from entracte.testing.world import World

T = TypeVar("T")


class Overtaken:
    """A store in front of another; somebody else acts right before its commit of that number, from 1."""

    def __init__(self, store: Store, overtake: Callable[[], Any], at: int) -> None:
        self._store = store
        self._overtake = overtake
        self._left = at

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        return self._store.load(paths)

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        self._left -= 1
        if self._left == 0:
            self._overtake()
        return self._store.commit(writes)

    def query(self, query: Query) -> Sequence[Stored]:
        return self._store.query(query)

    def close(self) -> None:
        self._store.close()


class Meeting:
    """A store in front of another; each thread's first commit waits until all of them are about to commit."""

    def __init__(self, store: Store, parties: int) -> None:
        self._store = store
        self._barrier = Barrier(parties, timeout=30)
        self._met = local()

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        return self._store.load(paths)

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        if not getattr(self._met, "yes", False):
            self._met.yes = True
            self._barrier.wait()
        return self._store.commit(writes)

    def query(self, query: Query) -> Sequence[Stored]:
        return self._store.query(query)

    def close(self) -> None:
        self._store.close()


def overtaken(world: World, overtake: Callable[[], Any], *, at: int = 1) -> Runtime:
    """A process that somebody overtakes at its commit of that number."""
    return world.new_process(store=lambda store: Overtaken(store, overtake, at))


def at_once(world: World, *acts: Callable[[Runtime], T]) -> list[T | EntracteError]:
    """What each of the acts comes to, done in a thread and process of its own, all looking before any writes."""
    meeting = Meeting(world.store, len(acts))
    processes = [world.new_process(store=lambda store: meeting) for _ in acts]
    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(outcome, acts, processes))


def outcome(act: Callable[[Runtime], T], process: Runtime) -> T | EntracteError:
    """What it gives or raises."""
    try:
        return act(process)
    except EntracteError as error:
        return error
