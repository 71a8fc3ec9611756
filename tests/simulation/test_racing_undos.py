"""An undo beside another, beside a resume, and beside a call that ends late: whatever goes wrong meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entracte.testing.simulation.desk import late_scenario, racing_undos_scenario, resumed_scenario
from entracte.testing.simulation.faults import Fault
from entracte.testing.simulation.playing import Playing
from entracte.testing.simulation.scenario import Scenario

RACES: dict[str, Callable[[], Scenario]] = {
    "two undos": racing_undos_scenario,
    "a resume, and an undo right after it": lambda: resumed_scenario("resume", "undo"),
}


@pytest.mark.parametrize("name", RACES)
def test_an_undo_holds_beside_another_and_beside_a_resume(name: str) -> None:
    """At every call of every port; the second is asked for as soon as the first has returned or stands still."""
    playing = Playing(RACES[name]())
    assert (playing.undisturbed.is_undone, len(playing.undisturbed.effects)) == (True, 2)
    playing.each(playing.singles())


@pytest.mark.parametrize("deliveries", [2, 3])
def test_an_undo_holds_beside_a_call_that_ends_late(deliveries: int) -> None:
    """It acts after so many deliveries of the undo; any other fault strikes at any call after it was begun."""
    playing = Playing(late_scenario(deliveries))
    late = next(first for first in playing.singles() if Fault.ACTED_LATE in first.values())
    report = playing.each(playing.pairs(late))
    assert report.simulations > 100
