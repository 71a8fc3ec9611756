"""Which fault strikes a call of a port: one that was planned, or one of chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from entracte.testing.simulation.faults import FAULTS, Fault, PortKind

OVERTAKEN_PERCENT = 8.0
"""Chance, at each call, that others go on first: that several processes work side by side."""


@dataclass(frozen=True, slots=True)
class Striking:
    """Chooses faults.

    Attributes:
        planned: By the number of the call, from 0. One that does not fit its call does not strike.
        chance: Chooses more; None for none.
        percent: Chance of a fault at each call, when chance chooses.
    """

    planned: Mapping[int, Fault] = field(default_factory=dict)
    chance: Random | None = None
    percent: float = 2.0

    def fault(self, number: int, kind: PortKind) -> Fault | None:
        """The one that strikes this call, if any."""
        if (planned := self.planned.get(number)) is not None:
            return planned if planned in FAULTS[kind] else None
        if self.chance is not None and FAULTS[kind] and self.chance.random() * 100 < self.percent:
            return self.chance.choice(FAULTS[kind])
        if (
            self.chance is not None
            and Fault.OVERTAKEN in FAULTS[kind]
            and self.chance.random() * 100 < OVERTAKEN_PERCENT
        ):
            return Fault.OVERTAKEN
        return None
