"""What an owner may spend a day (core/runs/spending.py, runtime/services/spending.py)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from entracte.core.addresses import run_path, spending_path
from entracte.core.budget import Limits
from entracte.core.documents.run import Run
from entracte.core.documents.spending import OpenRun, Spending
from entracte.core.modelling import Usage
from entracte.core.runs.spending import MAX_OPEN, charged
from entracte.core.runs.starting import RunRequest
from entracte.core.situation import Docs
from entracte.errors import RateLimited
from entracte.runtime.services.runs import Runs
from entracte.testing.world import World
from tests.api.echo import EchoModel, echo_network
from tests.core.builders import a_run

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
CAP = 100


def a_run_of(id: str, *, cost: int = 0, limit: int = 40, **fields: Any) -> Run:
    """A run that has cost something, and may cost so much."""
    return a_run(id=id, usage=Usage(cost_micro_usd=cost), limits=Limits(cost_micro_usd=limit), **fields)


def seen(*runs: Run) -> Docs:
    """Documents of which these runs are all there are."""
    return Docs({run_path(run.id): run for run in runs}, {run_path(id) for id in "abcd"})


def spending(*open: OpenRun, settled: int = 0, day: str = "2026-01-01") -> Spending:
    """Ada's."""
    return Spending(owner="ada", day=day, settled_micro_usd=settled, open=open)


def after(before: Spending, opened: Run, *runs: Run) -> Spending:
    """The spending once a run is opened."""
    return charged(before, opened, docs=seen(*runs), cap_micro_usd=CAP, now=NOW)


A, B = OpenRun(run="a", reserved_micro_usd=40), OpenRun(run="b", reserved_micro_usd=40)
C = OpenRun(run="c", reserved_micro_usd=40)


def test_an_open_run_counts_with_all_that_it_may_cost():
    """Two of forty fit below a hundred, and a third does not, whatever they have cost by now."""
    assert after(spending(A), a_run_of("b"), a_run_of("a")) == spending(A, B)
    with pytest.raises(RateLimited, match="2 open runs may still spend the rest") as refused:
        after(spending(A, B), a_run_of("c"), a_run_of("a"), a_run_of("b"))
    assert (refused.value.code, refused.value.retry_after_s) == ("spending_cap", 15 * 3600 + 1)
    smaller = after(spending(A, B), a_run_of("c", limit=20), a_run_of("a"), a_run_of("b"))
    assert smaller.open[-1] == OpenRun(run="c", reserved_micro_usd=20)


def test_a_closed_run_counts_with_what_it_cost():
    """Once, on the day on which that is seen."""
    closed = a_run_of("a", cost=3, status="succeeded")
    once = after(spending(A, B), a_run_of("c"), closed, a_run_of("b"))
    assert once == spending(B, C, settled=3)


def test_a_new_day_begins_with_nothing_spent():
    """What is open still may spend, and counts on."""
    assert after(spending(A, settled=99, day="2025-12-31"), a_run_of("b"), a_run_of("a")) == spending(A, B)


def test_a_run_that_is_opened_again_counts_what_it_costs_from_then_on():
    """What it had cost is counted already, and is no part of what it may still cost."""
    failed = a_run_of("a", cost=30, status="failed")
    again = after(spending(A), a_run_of("a", cost=30), failed)
    assert again == spending(OpenRun(run="a", reserved_micro_usd=10, counted_micro_usd=30), settled=30)
    closed = a_run_of("a", cost=35, status="succeeded")
    assert after(again, a_run_of("c"), closed) == spending(C, settled=35)


def test_a_run_that_was_deleted_is_forgotten_and_one_that_was_not_read_is_not():
    """The latter was opened by somebody else a moment ago."""
    unread = OpenRun(run="z", reserved_micro_usd=40)
    assert after(spending(A, unread), a_run_of("c")) == spending(unread, C)


def test_no_more_runs_are_open_than_can_be_looked_at():
    """Even if they may cost nothing."""
    free = [OpenRun(run=f"z{n}", reserved_micro_usd=0) for n in range(MAX_OPEN)]
    with pytest.raises(RateLimited) as refused:
        after(spending(*free), a_run_of("c", limit=0))
    assert refused.value.code == "too_many_open_runs"


def capped(cap: int) -> tuple[World, Runs]:
    """A world whose owners may spend so much, on runs that may cost 5 dollars each."""
    world = World(echo_network(), EchoModel())
    engine = world.process.engine
    engine.process = replace(engine.process, daily_cost_micro_usd=cap)
    return world, world.process.runs


def test_runs_are_started_within_the_cap_of_their_owner():
    """Another owner has a cap of their own; a run that has ended makes room; the same request is no second run."""
    world, runs = capped(5_000_000)
    request = RunRequest(input={"message": "hi"})
    first = runs.start(request, owner="ada", idempotency_key="k")
    assert runs.start(request, owner="ada", idempotency_key="k").id == first.id
    runs.start(request, owner="bob")
    with pytest.raises(RateLimited):
        runs.start(request, owner="ada")
    assert len(runs.list(owner="ada").items) == 1
    world.settle()
    assert runs.get(first.id, owner="ada").closed
    second = runs.start(request, owner="ada")
    kept = world.process.engine.repository.load((spending_path("ada"),)).documents[spending_path("ada")]
    assert isinstance(kept, Spending) and [entry.run for entry in kept.open] == [second.id]


def test_without_a_cap_nothing_is_counted():
    """And nothing more is read or written when a run is started."""
    world, runs = capped(0)
    runs.start(RunRequest(input={"message": "hi"}), owner="ada")
    assert not [path for path in world.documents() if path.startswith("spending/")]
