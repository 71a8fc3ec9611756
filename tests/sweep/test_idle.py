"""What sweep costs while nothing moves."""

from entracte.adapters.memory.store import MemoryStore
from entracte.agents import tool
from entracte.ports.store import Create
from entracte.runtime.engine.repository import Repository
from entracte.runtime.upkeep.alerting import tell_how_long_gates_wait
from entracte.runtime.upkeep.sweep import Sweep
from tests.runtime.scenes import a_world
from tests.runtime.script import Script, calls
from tests.sweep.counting import CountingStore

PARKED = 100_000

IDLE_READS = 9
"""Of one sweep that finds nothing, as the guide says."""


@tool
def wire() -> str:
    """Wire money."""
    raise ConnectionResetError


ASKED_FOR = {"due", "expires", "status", "decision", "created"}
"""Fields that sweep's queries look at; the others only make this test slow."""


def test_a_hundred_thousand_parked_runs_cost_sweep_nothing():
    """A sweep reads as much beside them as in an empty store."""
    world = a_world(Script([calls(("wire", {}))]), wire)
    run = world.ask("Go.")
    assert run.status == "waiting"
    parked = {
        path: {name: value for name, value in fields.items() if name in ASKED_FOR}
        for path, fields in world.documents().items()
        if path.rsplit("/", 2)[-2] in ("runs", "frames", "gates")
    }
    assert [fields["due"] for fields in parked.values()] == [None] * 3
    empty, full = CountingStore(MemoryStore()), CountingStore(MemoryStore())
    for start in range(0, PARKED, 100):
        ids = [f"r{number}" for number in range(start, start + 100)]
        full.commit([Create(path.replace(run.id, id), fields) for id in ids for path, fields in parked.items()])
    for store in (empty, full):
        sweep = Sweep(world.new_process(store=lambda _, store=store: store).engine, world.bus)
        assert sweep.run() == 0
        tell_how_long_gates_wait(Repository(store, world.clock.now), world.clock.now())
    assert (empty.reads, empty.queries, full.reads) == (IDLE_READS, IDLE_READS, IDLE_READS)
