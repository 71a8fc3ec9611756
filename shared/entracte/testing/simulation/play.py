"""One simulation from start to end: messages come, people answer, time passes, until nothing moves any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any, assert_never

from entracte.core.documents.gate import Gate
from entracte.runtime.compose import Runtime
from entracte.runtime.upkeep.sweep import Sweep
from entracte.testing.simulation import faulty
from entracte.testing.simulation.choosing import Choice, Move, earliest_due
from entracte.testing.simulation.ending import Ending
from entracte.testing.simulation.faults import AT_A_READ, Fault, PortKind
from entracte.testing.simulation.handler import Handler
from entracte.testing.simulation.invariants import INVARIANTS
from entracte.testing.simulation.moment import Invariant, Violation
from entracte.testing.simulation.owner import OWNER, acting, given_up, run_among, start
from entracte.testing.simulation.ports import named
from entracte.testing.simulation.scenario import Scenario, the_truth
from entracte.testing.simulation.stage import End, LateCall, Stage
from entracte.testing.simulation.striking import Striking

MAX_MOVES = 600
"""Deliveries, acts and passings of time in one simulation: more than any takes that does not run in circles."""

AGAIN = ", once more"

MAX_TRIES = 8
"""Of a client who gets no answer."""


@dataclass(frozen=True, slots=True)
class Point:
    """A call of a port that was made: a place for a fault, unless the scenario has none strike so early."""

    kind: PortKind
    what: str
    may_fail: bool


@dataclass(slots=True)
class Play:
    """One simulation.

    Args:
        faults: By the number of the call of a port, from 0, that they strike.
        chance: Chooses order, moments and more faults; None plays in order, with people who wait until all is quiet.
        percent: Chance of a fault at each call, when chance chooses.

    Attributes:
        points: Calls of ports so far.
        struck: Faults that did strike, by number.
        trace: What happened, one line each.
    """

    scenario: Scenario
    faults: Mapping[int, Fault] = field(default_factory=dict)
    chance: Random | None = None
    percent: float = 2.0
    invariants: Sequence[Invariant] = INVARIANTS
    points: list[Point] = field(default_factory=list)
    struck: dict[int, Fault] = field(default_factory=dict)
    trace: list[str] = field(default_factory=list)
    _stage: Stage = field(init=False)
    _faults: Striking = field(init=False)
    _choice: Choice = field(init=False)
    _striking: bool = False

    def __post_init__(self) -> None:
        model = self.scenario.model() if self.scenario.model is not None else None
        self._stage = Stage(self.scenario.network(), model, self, self.invariants)
        self._faults = Striking(self.faults, self.chance, self.percent)
        self._striking = not self.scenario.faults_from
        self._choice = Choice(self.scenario, ["start", *self.scenario.acts])

    def run(self) -> Ending:
        """Play to the end."""
        for _ in range(MAX_MOVES):
            move = self._next()
            if move is None or self._stage.violations:
                break
            self._make(move)
        else:
            self._violated("everything comes to rest", f"it still moved after {MAX_MOVES} moves")
        if not self._stage.violations:
            self.tell("— at rest")
            self._stage.check("rest")
        world, outside = self._stage.world, self.scenario.outside
        return Ending(
            documents=world.documents,
            effects=tuple(world.effects),
            outside=outside() if outside is not None else None,
            violations=tuple(self._stage.violations),
            events=self._stage.events,
            altered=self._stage.altered,
            replanned=self._choice.undos > 0,
            cancelled=not {"cancel", "stall"}.isdisjoint(self.scenario.acts),
        )

    def meet(self, handler: Handler, kind: PortKind, what: str, do: Callable[[], Any]) -> Any:
        """As `Director` says: strike where a fault is due."""
        number = len(self.points)
        self.points.append(Point(kind, what, self._striking))
        fault = self._faults.fault(number, kind) if self._striking else None
        self.tell(
            f"  {number:4} {what}" + (f"   ⚡ {fault}" if fault else ""), quiet=kind in ("clock", "time") and not fault
        )
        if fault is not None:
            self.struck[number] = fault
            if kind == "read" and fault in AT_A_READ:
                self._stage.altered = True
        return faulty.make(self._stage, handler, kind, do, fault)

    def tell(self, line: str, *, quiet: bool = False) -> None:
        """As `Director` says."""
        if not quiet:
            self.trace.append(line)

    def _next(self) -> Move | None:
        world = self._stage.world
        return self._choice.in_order(world) if self.chance is None else self._choice.at_random(world, self.chance)

    def _make(self, move: Move) -> None:
        match move.kind:
            case "deliver":
                self._deliver(move.place)
            case "go on":
                self._go_on(move.place)
            case "end late":
                self._end_late(move.place)
            case "release overtaken":
                self._release_overtaken()
            case "pass time":
                self._pass_time()
            case "answer":
                assert move.gate is not None
                self._answer(move.gate)
            case "act":
                self._act(move.act)
            case _:
                assert_never(move.kind)

    # What can happen.

    def _deliver(self, place: int) -> None:
        message = self._stage.world.waiting.pop(place)
        handler = self._stage.handler(named(message), lambda runtime: runtime.engine.handle(message), message)
        self._do(handler)

    def _act(self, name: str) -> None:
        world = self._stage.world
        match name:
            case "start":
                act: Callable[[Runtime], object] = lambda runtime: start(runtime, self.scenario.message)  # noqa: E731
            case "stall" if world.waiting:
                act = given_up(world.waiting.pop(0))
            case "stall":
                return
            case _:
                act = acting(name, run_among(world.documents))
        self._do(self._stage.handler(name, act))

    def _answer(self, gate: Gate) -> None:
        in_doubt = gate.z.kind == "in_doubt"
        word = the_truth(gate, self._stage.world.effects) if in_doubt else self.scenario.decide(gate)
        if self.scenario.insists or not word:
            self._choice.asked.add(gate.id)

        if not word:
            return

        def act(runtime: Runtime) -> object:
            return runtime.gates.decide(gate.id, word, user=OWNER, via="http", operator=True, answer_id=f"to {gate.id}")

        handler = self._stage.handler(f"a person says {word!r} to {gate.id}", act)
        handler.insists = self.scenario.insists
        self._do(handler)

    def _go_on(self, place: int) -> None:
        handler = self._stage.world.stopped.pop(place)
        self.tell(f"#{handler.number} goes on: {handler.name}")
        self._after(handler, self._stage.run(handler), again=not handler.taken_over)

    def _end_late(self, place: int) -> None:
        late: LateCall = self._stage.world.late.pop(place)
        outcome = late.end()

        def act(runtime: Runtime) -> object:
            self._stage.heard(late.call, outcome)
            return runtime.engine.late(late.call, outcome)

        self._do(self._stage.handler(f"the call of {late.call.tool} ends late: {outcome.ending}", act), again=False)

    def _release_overtaken(self) -> None:
        world = self._stage.world
        world.waiting, world.overtaken = world.overtaken, []
        self.tell("— the messages that were overtaken arrive")

    def _pass_time(self) -> None:
        """Until the next thing is due, or delayed messages come; then sweep looks."""
        world = self._stage.world
        due = earliest_due(world)
        world.now = (
            max(world.now + timedelta(seconds=1), due) if due and not world.delayed else world.now + self._stage.lease
        )
        world.waiting, world.delayed = [*world.waiting, *world.delayed], []
        self.tell(f"— it is {world.now:%d %H:%M:%S}")
        self._do(
            self._stage.handler("sweep", lambda runtime: f"looked at {Sweep(runtime.engine, runtime.bus).run()}"),
            again=False,
        )

    def _do(self, handler: Handler, *, again: bool = True) -> None:
        self._striking = self._striking or handler.name.startswith(self.scenario.faults_from)
        self._choice.undoing += handler.name.startswith("undo")
        self.tell(f"#{handler.number} {handler.name}")
        self._after(handler, self._stage.run(handler), again=again)

    def _after(self, handler: Handler, ended: End, *, again: bool) -> None:
        """Whoever gets no answer tries again: the bus delivers again, a client asks again."""
        world = self._stage.world
        if ended in ("stopped", "paused"):
            self.tell("stands still" if ended == "stopped" else "stands still; its lease ends")
            world.stopped.append(handler)
        if ended == "paused":
            world.now += self._stage.lease
            handler.taken_over = True
        elif ended in ("crash", "again"):
            world.now += timedelta(seconds=10)
        if ended in ("done", "refused", "stopped") or not again:
            return
        if handler.message is not None:
            world.waiting.append(handler.message)
        elif handler.insists and handler.tries < MAX_TRIES:
            other = self._stage.handler(f"{handler.name.removesuffix(AGAIN)}{AGAIN}", handler.act)
            other.tries = handler.tries + 1
            self._do(other)

    def _violated(self, invariant: str, what: str) -> None:
        violation = Violation(invariant, what)
        self._stage.violations.append(violation)
        self.tell(f"VIOLATED {violation}")
