"""Every interleaving of a small run."""

from entracte.testing.simulation.desk import scenario
from entracte.testing.simulation.exploring import Exploration


def test_two_workers_bring_a_run_to_its_gate_in_every_order() -> None:
    """Whatever they do between each other's calls, it waits, and nothing has been done."""
    explored = Exploration(scenario({"desk": [[("send", {"to": "ada"})]]}, light=True), acts=()).explore()
    assert explored.ends == {"waiting, 0 effects": 1}
    assert explored.states > 10
