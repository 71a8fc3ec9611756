"""Facts about several writers at once (see `store_contract`)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import stamina

from entracte.errors import StaleWrite
from entracte.ports.store import Create, Store, Update, Verify

COUNTER = "counters/one"

_BARRIER_S = 30.0

T = TypeVar("T")


class RaceContract:
    """Threads stand for the instances of a function: the store alone decides who wins."""

    def test_of_16_that_create_a_document_one_wins(self, store: Store) -> None:
        """So a step, a gate or a run comes to be once, however often its message is delivered."""

        def create(writer: int) -> bool:
            try:
                store.commit([Create("things/one", {"by": writer}), Create(f"marks/{writer}", {})])
            except StaleWrite:
                return False
            return True

        won = _at_once(16, create)
        (winner,) = [writer for writer, one in enumerate(won) if one]
        marks = [f"marks/{writer}" for writer in range(16)]
        assert store.load(["things/one"])["things/one"].fields == {"by": winner}
        assert set(store.load(marks)) == {f"marks/{winner}"}

    def test_of_8_times_10_optimistic_increments_none_is_lost(self, store: Store) -> None:
        """A conflict is reported to the writer, who reads again; it is never passed over."""
        store.commit([Create(COUNTER, {"n": 0})])

        def increment_ten_times(_: int) -> None:
            for _ in range(10):
                _increment(store)

        _at_once(8, increment_ten_times)
        assert store.load([COUNTER])[COUNTER].fields == {"n": 80}

    def test_what_was_verified_holds_when_the_commit_is_done(self, store: Store) -> None:
        """Two documents of which each is written only while the other is not: never both (write skew)."""
        pairs = [(f"pairs/{trial}a", f"pairs/{trial}b") for trial in range(10)]
        versions = store.commit([Create(path, {"taken": False}) for pair in pairs for path in pair])

        def take_all(writer: int) -> None:
            for pair in pairs:
                mine, other = pair[writer], pair[1 - writer]
                with suppress(StaleWrite):
                    store.commit([Update(mine, {"taken": True}, versions[mine]), Verify(other, versions[other])])

        _at_once(2, take_all)
        for pair in pairs:
            assert sum(stored.fields["taken"] for stored in store.load(pair).values()) <= 1


@stamina.retry(on=StaleWrite, attempts=500, timeout=60, wait_initial=0.002, wait_max=0.05, wait_jitter=0.03)
def _increment(store: Store) -> None:
    before = store.load([COUNTER])[COUNTER]
    store.commit([Update(COUNTER, {"n": before.fields["n"] + 1}, before.version)])


def _at_once(writers: int, act: Callable[[int], T]) -> list[T]:
    """Let each writer act in a thread of its own, all starting together."""
    start = threading.Barrier(writers)

    def run(writer: int) -> T:
        start.wait(_BARRIER_S)
        return act(writer)

    with ThreadPoolExecutor(writers) as pool:
        return list(pool.map(run, range(writers)))
