"""Playing a scenario many times: every single fault, every pair of faults, or as seeds have it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random

from entracte.testing.simulation.ending import Ending, differences
from entracte.testing.simulation.faults import FAULTS, Fault
from entracte.testing.simulation.invariants import INVARIANTS
from entracte.testing.simulation.moment import Invariant, Violation
from entracte.testing.simulation.play import Play, Point
from entracte.testing.simulation.report import Report, SimulationFailed
from entracte.testing.simulation.scenario import Scenario

Faults = Mapping[int, Fault]


class Playing:
    """Plays one scenario, and counts.

    Raises:
        SimulationFailed: From any method: something did not hold.
    """

    def __init__(self, scenario: Scenario, invariants: Sequence[Invariant] = INVARIANTS) -> None:
        self._scenario = scenario
        self._invariants = invariants
        self._began = time.monotonic()
        self._simulations = self._faults = self._events = self._in_doubt = 0
        first = Play(scenario, invariants=invariants)
        self.undisturbed = first.run()
        self.points: Sequence[Point] = first.points
        self._count(first, self.undisturbed)
        self._raise(first, self.undisturbed.violations, None)

    @property
    def report(self) -> Report:
        """What it came to so far."""
        return Report(
            simulations=self._simulations,
            points=len(self.points),
            faults=self._faults,
            events=self._events,
            in_doubt=self._in_doubt,
            seconds=time.monotonic() - self._began,
        )

    def singles(self) -> Iterator[Faults]:
        """Every fault at every call of the run without faults."""
        return _at(self.points, 0)

    def pairs(self, first: Faults) -> Iterator[Faults]:
        """A fault, and every fault at every call after it: the calls that there are once it has struck."""
        points = self.with_faults(first).points
        return ({**first, **second} for second in _at(points, max(first) + 1))

    def with_faults(self, faults: Faults) -> Play:
        """Play once, in order, with these faults."""
        play = Play(self._scenario, faults, invariants=self._invariants)
        self._judge(play, play.run(), None)
        return play

    def with_seed(self, seed: int, *, percent: float = 2.0) -> Play:
        """Play once, with order, moments and faults as the seed has them."""
        play = Play(self._scenario, chance=Random(seed), percent=percent, invariants=self._invariants)
        self._judge(play, play.run(), seed)
        return play

    def each(self, some: Iterable[Faults]) -> Report:
        """Play with each of them."""
        for faults in some:
            self.with_faults(faults)
        return self.report

    def _judge(self, play: Play, ending: Ending, seed: int | None) -> None:
        self._count(play, ending)
        violations = list(ending.violations)
        if not violations:
            violations += differences(ending, self.undisturbed)
        self._raise(play, violations, seed)

    def _count(self, play: Play, ending: Ending) -> None:
        self._simulations += 1
        self._faults += len(play.struck)
        self._events += ending.events
        self._in_doubt += ending.was_in_doubt

    def _raise(self, play: Play, violations: Sequence[Violation], seed: int | None) -> None:
        if violations:
            raise SimulationFailed(violations, seed=seed, faults=play.struck, trace=play.trace)


def _at(points: Sequence[Point], begin: int) -> Iterator[Faults]:
    for number in range(begin, len(points)):
        if points[number].may_fail:
            yield from ({number: fault} for fault in FAULTS[points[number].kind])
