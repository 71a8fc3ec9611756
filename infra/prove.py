"""Plays the proof's scenarios with every pair of faults, and prints a table. ``python3 infra/dev.py prove`` runs it.

Every single fault and a sample of the pairs are part of the tests. All pairs of one of the small scenarios take minutes
of processor time, of all scenarios hours.
"""

import argparse
import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from multiprocessing import get_context

from entracte.testing.simulation.desk import (
    answered_once_scenario,
    late_scenario,
    nested_scenario,
    racing_undos_scenario,
    resumed_scenario,
    run_scenario,
    small_gated_scenario,
    small_scenario,
    unanswered_scenario,
    undo_scenario,
)
from entracte.testing.simulation.faults import Fault
from entracte.testing.simulation.playing import Playing
from entracte.testing.simulation.report import SimulationFailed
from entracte.testing.simulation.scenario import Scenario

SCENARIOS: Mapping[str, Callable[[], Scenario]] = {
    "small": small_scenario,
    "small, keys honoured": lambda: small_scenario(honours_keys=True),
    "small, with a gate": small_gated_scenario,
    "small, undone": lambda: small_scenario(acts=("undo",)),
    "answered once": answered_once_scenario,
    "cancelled, unanswered": unanswered_scenario,
    "two undos at once": racing_undos_scenario,
    "undo, then resume": lambda: resumed_scenario("undo", "resume"),
    "resume, then undo": lambda: resumed_scenario("resume", "undo"),
    "late end, asked": lambda: late_scenario(1),
    "late end, surveyed": lambda: late_scenario(2),
    "late end, undone": lambda: late_scenario(3),
    "run": run_scenario,
    "run, keys honoured": lambda: run_scenario(honours_keys=True),
    "gate in a sub-agent": nested_scenario,
    "cancel, then undo": lambda: run_scenario(acts=("cancel", "undo")),
    "undo": undo_scenario,
    "undo, keys honoured": lambda: undo_scenario(honours_keys=True),
}
"""What is played, by the name in the table."""

Count = tuple[int, int, int, float]
"""Simulations, faults that struck, events after which everything was looked at, seconds of processor time."""


def main() -> int:
    """Play, and print a line for each scenario; 1 if something did not hold."""
    parser = argparse.ArgumentParser(prog="dev.py prove", description=__doc__)
    parser.add_argument("--extent", choices=["singles", "pairs"], default="pairs")
    parser.add_argument("--only", choices=list(SCENARIOS), action="append", help="these scenarios; all by default")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(_row("scenario", "points", "simulations", "faults", "events", "seconds", "of processor"), flush=True)
    return max(_prove(name, given.extent, given.processes) for name in given.only or SCENARIOS)


def _prove(name: str, extent: str, processes: int) -> int:
    playing = _playing(name)
    tasks = [(name, single, extent) for single in playing.singles()]
    counts: list[Count] = []
    failures: list[str] = []
    # Started anew, not forked: the tools' threads do not survive a fork.
    with get_context("spawn").Pool(processes) as pool:
        for count, failure in pool.imap_unordered(_play, tasks, chunksize=4):
            counts.append(count)
            failures += [failure] if failure else []
    simulations, faults, events, processor_s = (sum(column) for column in zip(*counts, strict=True))
    figures = (f"{simulations:,}", f"{faults:,}", f"{events:,}", f"{playing.report.seconds:.0f}", f"{processor_s:.0f}")
    print(_row(name, str(len(playing.points)), *figures), flush=True)
    for failure in failures[:3]:
        print(failure, flush=True)
    if failures:
        print(f"{len(failures)} of {len(tasks)} first faults led to a failure", flush=True)
    return 1 if failures else 0


def _row(name: str, *figures: str) -> str:
    return f"{name:22}" + "".join(f"{figure:>13}" for figure in figures)


def _play(task: tuple[str, Mapping[int, Fault], str]) -> tuple[Count, str]:
    """One first fault, alone and with every second one; what did not hold, if anything."""
    name, single, extent = task
    logging.disable(logging.CRITICAL)
    playing = _playing(name)
    before, began_s = playing.report, time.process_time()
    failure = ""
    try:
        playing.each(playing.pairs(single)) if extent == "pairs" else playing.with_faults(single)
    except SimulationFailed as failed:
        failure = str(failed)
    after = playing.report
    count = (
        after.simulations - before.simulations,
        after.faults - before.faults,
        after.events - before.events,
        time.process_time() - began_s,
    )
    return count, failure


@cache
def _playing(name: str) -> Playing:
    """Of this process."""
    return Playing(SCENARIOS[name]())


if __name__ == "__main__":
    sys.exit(main())
