"""Every interleaving of a small run: what two workers, a person and the run's owner do between each other's calls."""

from __future__ import annotations

import pytest

from entracte.testing.simulation.desk import small_gated_scenario
from entracte.testing.simulation.exploring import Exploration
from entracte.testing.simulation.report import SimulationFailed
from tests.simulation.test_broken_engines import starts_after_cancel


def test_two_workers_bring_a_run_to_its_gate_in_every_order() -> None:
    """It waits, and nothing has been done."""
    explored = Exploration(small_gated_scenario(), acts=()).explore()
    assert explored.ends == {"waiting, 0 effects": 1}
    assert explored.states > 10


def test_a_cancel_leaves_nothing_open_in_every_order() -> None:
    """Before the run was planned, while its gate is opened, announced or waits: nothing is done, nobody is asked."""
    explored = Exploration(small_gated_scenario(), acts=("cancel",)).explore()
    assert {*explored.ends} == {"cancelled, 0 effects"}
    assert explored.states > 2_000


def test_an_approval_and_a_cancel_come_to_one_outcome_in_every_order() -> None:
    """From the gate on: the mail is sent at most once, and only if the run was not cancelled before the intent."""
    explored = Exploration(small_gated_scenario(), acts=("approve", "cancel"), from_gate=True).explore()
    assert {*explored.ends} == {"succeeded, 1 effects", "cancelled, 0 effects", "cancelled, 1 effects"}
    assert explored.states > 1_000


def test_an_order_in_which_something_is_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is started although its run was cancelled meanwhile: the trace is the shortest way there."""
    starts_after_cancel(monkeypatch)
    with pytest.raises(SimulationFailed, match="cancel is honoured"):
        Exploration(small_gated_scenario(), acts=("approve", "cancel"), from_gate=True).explore()
