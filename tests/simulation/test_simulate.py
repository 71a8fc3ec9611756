"""What users get: one function, one command, and failures that can be played again."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from entracte.agents import UNGATED, Agent, Models, Network, ToolContext, tool
from entracte.testing.simulate import main, simulate
from entracte.testing.simulation.desk import Desk, DeskModel, network
from entracte.testing.simulation.play import Play
from entracte.testing.simulation.report import SimulationFailed
from entracte.testing.simulation.scenario import Scenario
from tests.simulation.test_broken_engines import calls_again

STEPS = {"desk": [[("write", {"id": 1, "plan": "Pro"})]]}


def a_shop() -> tuple[Desk, Any]:
    """A desk, and what makes its network anew."""
    desk = Desk()
    built = network(desk, light=True)

    def make() -> Network:
        desk.clean()
        return built

    return desk, make


def test_a_network_is_simulated_by_one_call() -> None:
    """Every single fault, by default; the report says how many there were."""
    desk, make = a_shop()
    report = simulate(make, "Upgrade 1.", model=DeskModel(STEPS), outside=desk.outside)
    assert report.simulations == report.faults + 1 > 100


def test_seeds_give_the_same_simulation_again() -> None:
    """Order, moments and faults: the traces are equal, line by line."""
    _, make = a_shop()
    scenario = Scenario(network=make, message="Go.", model=lambda: DeskModel(STEPS))
    first, again = (Play(scenario, chance=Random(7)) for _ in range(2))
    first.run()
    again.run()
    assert (again.trace, again.struck) == (first.trace, first.struck)
    assert first.struck


def test_a_failure_says_what_and_how_to_play_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The faults in its text give the same failure."""
    calls_again(monkeypatch)
    desk, make = a_shop()
    how: Any = {"model": DeskModel(STEPS), "outside": desk.outside}
    with pytest.raises(SimulationFailed) as first:
        simulate(make, "Upgrade 1.", **how)
    with pytest.raises(SimulationFailed) as again:
        simulate(make, "Upgrade 1.", faults=first.value.faults, **how)
    assert str(again.value) == str(first.value)
    assert "at most once: write acted 2 times with the key" in str(first.value)
    assert "--fault '" in str(first.value)


def test_a_seed_that_failed_fails_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same words."""
    calls_again(monkeypatch)
    _, make = a_shop()
    with pytest.raises(SimulationFailed) as first:
        simulate(make, "Upgrade 1.", model=DeskModel(STEPS), extent="seeds", seeds=range(200))
    assert first.value.seed is not None
    with pytest.raises(SimulationFailed) as again:
        simulate(make, "Upgrade 1.", model=DeskModel(STEPS), extent="seeds", seeds=[first.value.seed])
    assert (again.value.violations, again.value.trace) == (first.value.violations, first.value.trace)


counted: list[str] = []


@tool
def count(ctx: ToolContext[None]) -> str:
    """Count something."""
    counted.append(ctx.idempotency_key)
    return "counted"


SCRIPT = """
version: 1
replies:
  - {when: {purpose: interpret}, reply: {goals: [], tasks: []}}
  - {when: {purpose: plan, step: 1}, reply: {calls: [{tool: count, args: {}}]}}
  - {when: {purpose: plan}, reply: {answer: done}}
  - {when: {purpose: evaluate}, reply: {verdicts: [], state: {}}}
"""


def shop() -> Network:
    """What the command is given."""
    desk = Agent(name="desk", prompt="You count.", tools=[count])
    return Network(entry=desk, models=Models(main="scripted/shop.yaml"), policy=UNGATED)


def test_the_command_plays_a_network_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the models that it has, if these are scripted."""
    (tmp_path / "shop.yaml").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    code = main(["--network", f"{__name__}:shop", "--runs", "5"])
    assert (code, capsys.readouterr().out[:31]) == (0, "Everything held: 6 simulations,")


@pytest.mark.parametrize("reference", ["nowhere", "nowhere:network", f"{__name__}:nothing", ":", f"{__name__}:SCRIPT"])
def test_what_is_no_network_is_said(reference: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name."""
    assert main(["--network", reference]) == 2
    assert repr(reference) in capsys.readouterr().err
