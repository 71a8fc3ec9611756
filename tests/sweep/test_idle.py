"""What sweep costs while nothing moves."""

from entracte.adapters.memory.store import MemoryStore
from entracte.ports.store import Create
from tests.runtime.scenes import a_world
from tests.runtime.script import Script, calls
from tests.sweep.counting import CountingStore
from entracte.agents import tool
from entracte.runtime.sweep import Sweep

PARKED = 100_000

IDLE_READS = 8
"""Of one sweep that finds nothing, as the guide says."""


@tool
def wire() -> str:
    """Wire money."""
    raise ConnectionResetError


def test_a_hundred_thousand_parked_runs_cost_sweep_nothing():
    """A sweep reads as much beside them as in an empty store."""
    world = a_world(Script([calls(("wire", {}))]), wire)
    run = world.ask("Go.")
    assert run.status == "waiting"
    documents = world.documents()
    empty, full = CountingStore(MemoryStore()), CountingStore(MemoryStore())
    parked = {
        path: fields
        for path, fields in documents.items()
        if path.startswith((f"runs/{run.id}/frames", f"gates/{run.id}")) or path == f"runs/{run.id}"
    }
    assert {path.split("/")[-2] for path in parked} == {"runs", "frames", "gates"}
    for start in range(0, PARKED, 100):
        full.commit(
            [
                Create(path.replace(run.id, f"r{number}"), fields)
                for number in range(start, start + 100)
                for path, fields in parked.items()
            ]
        )
    world.clock.advance(days=90)
    for store in (empty, full):
        Sweep(world.new_process(store=lambda _, store=store: store).engine, world.bus).run()
    assert (empty.reads, empty.queries, full.reads) == (IDLE_READS, IDLE_READS, IDLE_READS)
