"""What a whole lot of simulations came to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from entracte.testing.simulation.faults import Fault
from entracte.testing.simulation.moment import Violation

_RUN = re.compile(r"\b[0-9a-f]{20}\b")
"""Ids of runs, which make a trace hard to read; there is only one."""

_SHOWN = 120
"""Lines of a trace that a failure shows: the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Simulations in which everything held.

    Attributes:
        simulations: How many were played.
        points: Calls of ports in the run without faults: the places at which faults can strike.
        faults: Faults that struck, in all of them.
        events: Commits, publishes, effects and questions to models after which every invariant was looked at.
        in_doubt: Simulations in which some action was `unknown` at some time.
        seconds: How long it took.
    """

    simulations: int
    points: int
    faults: int
    events: int
    in_doubt: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.simulations:,} simulations, {self.faults:,} faults at {self.points:,} points, "
            f"{self.events:,} events checked, {self.in_doubt:,} simulations in doubt, {self.seconds:.1f} s"
        )


class SimulationFailed(AssertionError):
    """Something did not hold. Says what, in which simulation, and how to play it again.

    Attributes:
        violations: What did not hold.
        seed: Of the simulation; None where it was not one of chance.
        faults: By number of the call that they struck.
        trace: What happened, one line each.
    """

    def __init__(
        self, violations: Sequence[Violation], *, seed: int | None, faults: Mapping[int, Fault], trace: Sequence[str]
    ) -> None:
        self.violations = tuple(violations)
        self.seed = seed
        self.faults = dict(faults)
        self.trace = tuple(trace)
        super().__init__(_RUN.sub("RUN", self._told()))

    def _told(self) -> str:
        struck = {number: str(fault) for number, fault in self.faults.items()}
        again = f"--seed {self.seed}" if self.seed is not None else " ".join(_options(self.faults))
        cut = len(self.trace) - _SHOWN
        return "\n".join(
            (
                *(str(violation) for violation in self.violations),
                f"Faults: {struck or 'none'}",
                f"Play it again: {again or 'it needs no fault'}",
                *((f"… {cut} lines before",) if cut > 0 else ()),
                *self.trace[max(0, cut) :],
            )
        )


def _options(faults: Mapping[int, Fault]) -> list[str]:
    return [f"--fault '{number}:{fault}'" for number, fault in faults.items()]
