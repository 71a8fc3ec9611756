"""What comes next in a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Literal

from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.testing.simulation.owner import run_among
from entracte.testing.simulation.scenario import Scenario
from entracte.testing.simulation.stage import World

_TO_DECIDE = ("approval", "question", "absence", "unresolvable")


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that happens.

    Attributes:
        place: Of the message, the handler or the late call, in the world's list of them.
        gate: Which is answered.
        act: What the owner does.
    """

    kind: Literal["deliver", "go on", "end late", "release overtaken", "pass time", "answer", "act"]
    place: int = 0
    gate: Gate | None = None
    act: str = ""


@dataclass(slots=True)
class Choice:
    """Chooses.

    Attributes:
        acts: What the owner has not done yet.
        asked: Gates that were answered.
        undoing: Deliveries of the undo so far, the request for it among them.
        undos: How often an undo that had to stop was asked for again.
    """

    scenario: Scenario
    acts: list[str]
    asked: set[str] = field(default_factory=set)
    undoing: int = 0
    undos: int = 0

    def in_order(self, world: World) -> Move | None:
        """Messages as they came; then what was held back; then people; then time. None when all is over."""
        if world.late and 0 < self.scenario.late_after <= self.undoing:
            return Move("end late")
        if self._is_urgent(world):
            return self._next_act()
        if world.waiting:
            return Move("deliver")
        if self.acts[:1] == ["start"]:
            return self._next_act()
        if world.overtaken:
            return Move("release overtaken")
        if world.stopped:
            return Move("go on")
        if world.late and not self.scenario.late_after:
            return Move("end late")
        if world.delayed:
            return Move("pass time")
        if gate := self._gate(world, _TO_DECIDE):
            return self._next_act() if self.acts[:1] == ["cancel"] else Move("answer", gate=gate)
        if earliest_due(world) is not None:
            return Move("pass time")
        if gate := self._gate(world, ("in_doubt",)):
            return Move("answer", gate=gate)
        if self.acts:
            return self._next_act()
        return Move("end late") if world.late else self._undo_again(world)

    def at_random(self, world: World, chance: Random) -> Move | None:
        """Anything that can happen; what has to happen in the end is left when nothing else is."""
        if self.acts[:1] == ["start"]:
            return self._next_act()
        moves = [Move("deliver", place) for place in range(min(len(world.waiting), 6))] * 3
        moves += [Move("go on", place) for place in range(len(world.stopped))]
        moves += [Move("end late", place) for place in range(len(world.late))]
        if gate := self._gate(world, _TO_DECIDE):
            moves.append(Move("answer", gate=gate))
        if self.acts and (self.acts[0] == "cancel" or _is_closed(run_among(world.documents))):
            moves.append(Move("act", act=self.acts[0]))
        if moves and earliest_due(world) is not None:
            moves.append(Move("pass time"))
        if not moves:
            return self.in_order(world)
        move = chance.choice(moves)
        return self._next_act() if move.kind == "act" else move

    def _is_urgent(self, world: World) -> bool:
        """The next act is asked for now, whatever else could move."""
        match self.acts[:1]:
            case ["stall"]:
                return any(message.kind == "plan" and message.step == 2 for message in world.waiting[:1])
            case ["undo"] if self.scenario.late_after and world.late:
                return True
            case [_]:
                return self.scenario.racing and len(self.acts) < len(self.scenario.acts)
            case _:
                return False

    def _next_act(self) -> Move:
        return Move("act", act=self.acts.pop(0))

    def _gate(self, world: World, kinds: Sequence[str]) -> Gate | None:
        """An announced gate that nobody has answered yet."""
        for found in world.documents.values():
            if not isinstance(found, Gate) or found.id in self.asked or found.z.kind not in kinds:
                continue
            if found.waiting and found.z.announced:
                return found
        return None

    def _undo_again(self, world: World) -> Move | None:
        """An undo that had to stop is asked for again, as a person does who has looked at what it shows."""
        run = run_among(world.documents)
        if "undo" not in self.scenario.acts or run is None or run.status != "partial" or self.undos == 2:
            return None
        if run.undo is None or not run.undo.stopped:
            return None
        self.undos += 1
        return Move("act", act="replan")


def earliest_due(world: World) -> datetime | None:
    """When sweep will find something."""
    return min((date for found in world.documents.values() if (date := getattr(found, "due", None))), default=None)


def _is_closed(run: Run | None) -> bool:
    return run is not None and run.closed
