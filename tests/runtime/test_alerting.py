"""What alerts count is what the program writes (alerting.py, terraform/modules/alerts/metrics.tf)."""

import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from entracte.agents import Agent, Models, Network, tool
from entracte.runtime.upkeep.alerting import AlertLines, tell_how_long_gates_wait
from entracte.testing.world import World
from tests.runtime.script import Script, calls
from tests.runtime.test_stalling import PATIENT, swept_in_vain

METRICS = (Path(__file__).resolve().parents[2] / "terraform/modules/alerts/metrics.tf").read_text()


@tool
def wire() -> str:
    """Wire money."""
    return "wired"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Gives the log's lines that begin so."""
    logger = logging.getLogger("entracte")
    monkeypatch.setattr(logger, "propagate", True)
    caplog.set_level(logging.INFO, logger="entracte")
    return lambda event: [line for line in caplog.messages if line.startswith(f"{event} ")]


def a_world(*replies) -> World:
    """A network of one agent whose events are told as a deployment's are."""
    agent = Agent(name="desk", tools=[wire])
    network = Network(entry=agent, models=Models(main="quick/model"), budget=PATIENT, observers=[AlertLines()])
    return World(network, Script([*replies]))


def filters(metric: str) -> list[str]:
    """The expressions by which Terraform finds a metric's lines."""
    return [pattern.replace("${each.key}", metric) for pattern in re.findall(r'message=~\\"(\^[^\\]+)\\"', METRICS)]


def test_the_end_of_a_run_is_a_line_with_its_status(lines: Callable[[str], list[str]]):
    """By which failed runs are counted."""
    run = a_world("done").ask("Go.")
    assert lines("run_ended") == [f"run_ended run_id={run.id} status=succeeded"]


def test_a_run_that_nothing_moves_any_more_is_a_line(lines: Callable[[str], list[str]]):
    """Once, however often it was tried before."""
    world = a_world("done")
    run = world.start("Go.")
    swept_in_vain(world)
    assert lines("run_stalled") == [f"run_stalled run_id={run.id} frame_id={run.id}"]


def test_each_round_says_how_long_the_oldest_gate_has_waited(lines: Callable[[str], list[str]]):
    """And that none waits."""
    world = a_world(calls(("wire", {})))
    repository = world.new_process().engine.repository
    tell_how_long_gates_wait(repository, world.clock.now())
    world.ask("Go.")
    world.clock.advance(hours=2)
    tell_how_long_gates_wait(repository, world.clock.now())
    assert lines("gates_waiting") == [
        "gates_waiting oldest_s=0",
        "gates_waiting oldest_s=7200",
    ]


@pytest.mark.parametrize("metric", ["run_ended", "run_stalled", "gates_waiting"])
def test_terraform_looks_for_the_lines_that_are_written(metric: str):
    """By their first word, and by the value in them."""
    line = {
        "run_ended": "run_ended run_id=r status=failed",
        "run_stalled": "run_stalled run_id=r frame_id=r",
        "gates_waiting": "gates_waiting oldest_s=7",
    }[metric]
    assert f"  {metric} " in METRICS or f'"google_logging_metric" "{metric}"' in METRICS
    assert any(re.search(pattern, line) for pattern in filters(metric))
    values = {"run_ended": "status=([a-z]+)", "gates_waiting": "oldest_s=([0-9]+)"}
    assert metric not in values or (values[metric] in METRICS and re.search(values[metric], line))
