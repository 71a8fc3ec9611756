"""Figures that need no emulator: round trips and documents a step, the engine's own time, SQLite, context growth."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from model import CountingModel, QuickModel

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.sqlite.store import SqliteStore
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents import Agent, Budget, Models, Network, tool
from entracte.core.events import Event
from entracte.ports.store import Stored, Version, Write
from entracte.runtime.compose import compose
from entracte.runtime.engine.workers import worker_name
from entracte.runtime.local.embedded import Embedded
from entracte.runtime.local.local_bus import LocalBus
from entracte.testing.world import World

STEPS = 100


def looking(steps: int, result_bytes: int) -> Network:
    """An agent that looks so many times and gets so many bytes each time."""
    numbers = itertools.count()

    @tool(effect="readonly", evaluation="It has a number.")
    def look() -> dict[str, object]:
        """Look at something."""
        return {"number": next(numbers), "text": "x" * result_bytes}

    agent = Agent(name="bench", tools=[look], max_steps=steps + 2)
    return Network(entry=agent, models=Models(main="quick/model"), budget=Budget(actions=10_000, tokens=10**9))


class CountingStore(MemoryStore):
    """Counts round trips and documents."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = dict.fromkeys(("loads", "commits", "reads", "writes"), 0)

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        self.counts["loads"] += 1
        self.counts["reads"] += len(paths)
        return super().load(paths)

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        self.counts["commits"] += 1
        self.counts["writes"] += len(writes)
        return super().commit(writes)


def counts_per_step() -> dict[str, float]:
    """Store round trips and documents of one step with one readonly call, in the middle of a run."""
    store = CountingStore()
    world = World(looking(20, 100), QuickModel(20), store=store)
    world.start("go")
    before: dict[str, int] = {}
    while world.bus.waiting:
        message = world.bus.waiting.pop(0)
        if message.kind == "plan" and message.step == 10:
            before = dict(store.counts)
        if message.kind == "plan" and message.step == 11:
            step = {name: store.counts[name] - before[name] for name in store.counts}
        world.deliver(message)
    return {
        "loads_per_step": step["loads"],
        "commits_per_step": step["commits"],
        "doc_reads_per_step": step["reads"],
        "doc_writes_per_step": step["writes"],
    }


def engine_cpu_ms_per_hop() -> float:
    """Median processor time of one delivery on the memory store, all threads."""
    world = World(looking(STEPS, 500), QuickModel(STEPS))
    world.start("go")
    took: list[float] = []
    while world.bus.waiting:
        message = world.bus.waiting.pop(0)
        began = time.process_time()
        world.deliver(message)
        took.append(time.process_time() - began)
    return median(took) * 1000


def sqlite_cycle_ms() -> float:
    """Median time from plan to plan in the embedded default: SQLite with WAL and synchronous=FULL, in-process bus."""
    planned: list[float] = []

    class Watch:
        def on_event(self, event: Event) -> None:
            if event.type == "plan.ready":
                planned.append(time.perf_counter())

    network = looking(STEPS, 500)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        bus = LocalBus()
        runtime = compose(
            network,
            store=SqliteStore(Path(folder) / "bench.db"),
            bus=bus,
            clock=SystemClock(),
            secrets_port=EnvironmentSecrets({}),
            worker=worker_name(),
            observers=[Watch()],
            open_model=lambda name: QuickModel(STEPS),
        )
        embedded = Embedded(runtime, bus, owner="bench")
        embedded.wait(embedded.start("go").id)
        embedded.close()
    return median(after - before for before, after in itertools.pairwise(planned)) * 1000


def context_ratio_100_to_10() -> float:
    """Bytes sent to the model at step 100 over those at step 10, with results of 5 KB."""
    model = CountingModel(STEPS)
    World(looking(STEPS, 5_000), model).ask("Look a hundred times.")
    return model.sent_bytes[100] / model.sent_bytes[10]
