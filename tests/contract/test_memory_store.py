"""What only the memory store has to fear: threads that take turns in the middle of a commit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.errors import StaleWrite
from entracte.ports.store import Create, Update

COUNTER = "counters/one"


@pytest.fixture
def turns_at_every_step() -> Iterator[None]:
    """Otherwise Python lets a thread finish its commit before another begins."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("turns_at_every_step")
def test_what_threads_were_told_was_committed_is_there():
    """Neither lost nor done twice, in some thousand commits of which many conflict."""
    store = MemoryStore()
    store.commit([Create(COUNTER, {"n": 0})])

    def try_300_times(_: int) -> int:
        done = 0
        for _ in range(300):
            before = store.load([COUNTER])[COUNTER]
            with suppress(StaleWrite):
                store.commit([Update(COUNTER, {"n": before.fields["n"] + 1}, before.version)])
                done += 1
        return done

    with ThreadPoolExecutor(8) as pool:
        done = sum(pool.map(try_300_times, range(8)))
    assert store.load([COUNTER])[COUNTER].fields == {"n": done}
