"""Whatever goes wrong, everything holds that always holds, and the end is that of the run in which nothing did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from entracte.testing.simulation.desk import (
    answered_once_scenario,
    nested_scenario,
    run_scenario,
    small_scenario,
    unanswered_scenario,
    undo_scenario,
)
from entracte.testing.simulation.faults import FAULTS, Fault
from entracte.testing.simulation.playing import Playing
from entracte.testing.simulation.scenario import Scenario

SCENARIOS: dict[str, Callable[[], Scenario]] = {
    "run": run_scenario,
    "gate in a sub-agent": lambda: nested_scenario(honours_keys=True),
    "answered once": answered_once_scenario,
    "cancelled, and nobody answers": unanswered_scenario,
    "undo": undo_scenario,
    "undo of a run that was cancelled": lambda: run_scenario(acts=("cancel", "undo")),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_everything_holds_under_every_single_fault(name: str) -> None:
    """At every call of every port."""
    playing = Playing(SCENARIOS[name]())
    report = playing.each(playing.singles())
    assert (report.simulations - 1, report.faults) == (len(list(playing.singles())), len(list(playing.singles())))


@pytest.mark.parametrize("name", SCENARIOS)
def test_everything_holds_under_pairs_of_faults(name: str) -> None:
    """A sample of them; `python3 infra/dev.py prove` plays them all."""
    playing, chance = Playing(SCENARIOS[name]()), Random(name)
    firsts = chance.sample(list(playing.singles()), 12)
    for first in firsts:
        seconds = list(playing.pairs(first))
        playing.each(chance.sample(seconds, min(3, len(seconds))))


def test_everything_holds_whichever_two_processes_die() -> None:
    """Of a run of one change: every pair of deaths. `python3 infra/dev.py prove` plays it with every pair of faults."""
    playing = Playing(small_scenario())
    for first in filter(_is_death, playing.singles()):
        playing.each(filter(_is_death, playing.pairs(first)))
    assert playing.report.simulations > 400


def _is_death(faults: Mapping[int, Fault]) -> bool:
    return {*faults.values()} <= {Fault.CRASH_BEFORE, Fault.CRASH_AFTER}


@pytest.fixture(scope="module")
def playings() -> dict[str, Playing]:
    """One of each scenario, played by every example."""
    return {name: Playing(make()) for name, make in SCENARIOS.items()}


FAULT = st.tuples(st.integers(0, 250), st.sampled_from(Fault))


@given(name=st.sampled_from(sorted(SCENARIOS)), faults=st.lists(FAULT, max_size=8))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_everything_holds_under_many_faults(playings: dict[str, Playing], name: str, faults: list[tuple[int, Fault]]):
    """Of any kinds, at any calls; those that do not fit a call do not strike."""
    playings[name].with_faults(dict(faults))


@given(name=st.sampled_from(sorted(SCENARIOS)), seed=st.integers(0, 2**32))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_everything_holds_in_any_order(playings: dict[str, Playing], name: str, seed: int) -> None:
    """Messages, people and time in any order, several processes side by side, and faults among it."""
    playings[name].with_seed(seed)


def test_every_kind_of_fault_can_strike() -> None:
    """A fault that fits no call would prove nothing."""
    assert {fault for faults in FAULTS.values() for fault in faults} == set(Fault)
