"""What a run costs in the cloud, from its journal (cloud_costs.py), held against counts and hand sums."""

import math

import pytest

from entracte.agents import Agent, Models, Network, tool
from entracte.core.cloud_costs import (
    IDLE_READS_A_SWEEP,
    READS_A_MOVE,
    SIZES,
    USUAL_SIZE,
    WRITES_A_MOVE,
    CloudPrices,
    Move,
    bill,
)
from entracte.testing.world import World
from tests.runtime.script import Script, calls
from tests.sweep.test_idle import IDLE_READS

PRICES = CloudPrices(
    as_of="2026-11-30",
    region="here",
    document_reads_per_100k=1,
    document_writes_per_100k=2,
    document_deletes_per_100k=3,
    message_tib=1024**3 / 2,  # a message of 2 KiB is 1 USD
    requests_per_million=4,
    vcpu_s=10,
    memory_gib_s=1,
    idle_vcpu_s=0.5,
    idle_memory_gib_s=0.5,
    secret_version_month=7,
    secret_reads_per_10k=0,
)

STEPS = 10


@tool(effect="readonly")
def look() -> str:
    """Look."""
    return "seen"


def test_each_thing_that_is_paid_for_is_a_line():
    """By hand: 2 moves of 3 documents; execute has 1 vCPU and 2 GiB for 4 requests, plan 1 GiB for 20."""
    moves = [Move("plan", 2000, asked_model=True), Move("execute", 1000, asked_model=False)]
    assert {line.name: (line.quantity, line.low_usd, line.high_usd) for line in bill(moves, PRICES)} == {
        "documents read": ("6", 6e-5, 6e-5),
        "documents written": ("6", 12e-5, 12e-5),
        "documents deleted, after 30 days": ("2", 6e-5, 6e-5),
        "messages": ("2", 2.0, 2.0),
        "requests": ("2", 8e-6, 8e-6),
        "execute: instance": ("1.0 s", 3.0, 12.0),
        "plan: waiting for the model": ("2.0 s", 1.1, 22.0),
    }


def test_the_documents_of_a_move_are_those_that_the_bench_counts():
    """In a run with one call a step: what is estimated is within a fifth of what the store was asked for."""
    from entracte.adapters.memory.store import MemoryStore
    from tests.sweep.counting import CountingStore

    class Store(CountingStore):
        writes = 0

        def commit(self, writes):
            self.writes += len(writes)
            return super().commit(writes)

    store = Store(MemoryStore())
    network = Network(entry=Agent(name="desk", tools=[look], max_steps=STEPS + 2), models=Models(main="quick/model"))
    world = World(network, Script([*[calls(("look", {}))] * STEPS, "done"]), store=store)
    run = world.ask("Go.")
    reads, writes = store.reads, store.writes
    moves = len(world.process.runs.journal(run, limit=1000).items)
    assert moves > STEPS
    assert math.isclose(moves * WRITES_A_MOVE, writes, rel_tol=0.2)
    assert math.isclose(moves * READS_A_MOVE, reads, rel_tol=0.2)


def test_an_idle_deployment_pays_for_sweep_and_secrets():
    """43,200 sweeps in a month of 30 days; what each reads is what the test of idleness counts."""
    assert IDLE_READS_A_SWEEP == IDLE_READS
    reads, requests, instance, messages, secrets = 43_200 * 9 / 1e5, 43_200 * 4 / 1e6, 4_320 * 11, 43_200, 14
    assert PRICES.idle_deployment_month(2) == pytest.approx(reads + requests + instance + messages + secrets)


def test_a_waiting_instance_is_paid_by_its_size():
    """What min_instances = 1 costs a month."""
    assert PRICES.idle_instance_month("plan") == 30 * 86_400 * 1.0
    assert PRICES.idle_instance_month("execute") == 30 * 86_400 * 1.5


def test_sizes_are_those_that_are_deployed():
    """As Terraform's catalogue has them."""
    import re
    from pathlib import Path

    text = (Path(__file__).resolve().parents[2] / "terraform/modules/entracte/functions.tf").read_text()
    given = dict(re.findall(r"^    (\w+) = \{\n.*?\n.*?\n      size        = \{(.*?)\}", text, re.MULTILINE))
    slow = {name for name, size in given.items() if "concurrency = 4" in size and 'memory = "2Gi"' in size}
    assert dict.fromkeys(slow, (1, 2, 4)) == SIZES
    assert 'usual_size = { concurrency = 20, cpu = "1", max_instances = 3, memory = "1Gi"' in text
    assert USUAL_SIZE == (1.0, 1.0, 20)


def test_the_guide_says_what_is_computed():
    """Its figures are those of the table that comes with Entracte."""
    from pathlib import Path

    from entracte.runtime.cloud_pricing import read_cloud_prices

    page = (Path(__file__).resolve().parents[2] / "infra/guide/cost.md").read_text()
    known = read_cloud_prices()
    asked = [Move("plan", 3000, asked_model=True), Move("execute", 200, asked_model=False)]
    moves = [*[*asked, Move("evaluate", 3000, asked_model=True)] * 9, asked[0]]
    lines = bill(moves, known)
    low, high = (sum(getattr(line, end) for line in lines) * 1000 for end in ("low_usd", "high_usd"))
    for figure in (
        f"${known.idle_deployment_month(4):.2f}",
        f"${known.idle_instance_month('plan'):.2f}",
        f"${known.idle_instance_month('execute'):.2f}",
        f"${low:.2f}",
        f"${high:.2f}",
        known.as_of,
    ):
        assert figure in page
