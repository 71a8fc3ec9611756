"""One simulation from start to end: messages come, people answer, time passes, until nothing moves any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.runs.starting import RunRequest
from entracte.errors import Conflict
from entracte.runtime.compose import Runtime
from entracte.runtime.upkeep.sweep import Sweep
from entracte.testing.simulation import faulty
from entracte.testing.simulation.ending import Ending
from entracte.testing.simulation.faults import AT_A_READ, FAULTS, Fault, PortKind
from entracte.testing.simulation.handler import Handler
from entracte.testing.simulation.invariants import INVARIANTS
from entracte.testing.simulation.moment import Invariant, Violation
from entracte.testing.simulation.ports import named
from entracte.testing.simulation.scenario import Scenario, the_truth
from entracte.testing.simulation.stage import End, LateCall, Stage

OWNER = "owner"
MAX_MOVES = 600
"""Deliveries, acts and passings of time in one simulation: more than any takes that does not run in circles."""

OVERTAKEN_PERCENT = 8.0
"""Chance, at each call, that others go on first: that several processes work side by side."""

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
    _acts: list[tuple[str, Callable[[Runtime], object]]] = field(init=False)
    _asked: set[str] = field(default_factory=set)
    _undos: int = 0
    _striking: bool = False

    def __post_init__(self) -> None:
        model = self.scenario.model() if self.scenario.model is not None else None
        self._stage = Stage(self.scenario.network(), model, self, self.invariants)
        self._striking = not self.scenario.faults_from
        self._acts = [("start", self._start)]
        self._acts += [(act, getattr(self, f"_{act}")) for act in self.scenario.acts]

    def run(self) -> Ending:
        """Play to the end."""
        for _ in range(MAX_MOVES):
            move = self._next_at_random() if self.chance is not None else self._next()
            if move is None or self._stage.violations:
                break
            move()
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
            cancelled="cancel" in self.scenario.acts,
        )

    def meet(self, handler: Handler, kind: PortKind, what: str, do: Callable[[], Any]) -> Any:
        """As `Director` says: strike where a fault is due."""
        number = len(self.points)
        self.points.append(Point(kind, what, self._striking))
        fault = self._fault(number, kind)
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

    def _fault(self, number: int, kind: PortKind) -> Fault | None:
        if not self._striking:
            return None
        if (planned := self.faults.get(number)) is not None:
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

    # What comes next.

    def _next(self) -> Callable[[], None] | None:
        """In order: messages as they came; then what was held back; then people; then time."""
        world = self._stage.world
        if world.waiting:
            return partial(self._deliver, 0)
        if self._acts and self._acts[0][0] == "start":
            return self._act
        if world.overtaken:
            return self._release_overtaken
        if world.stopped:
            return partial(self._go_on, 0)
        if world.late:
            return partial(self._end_late, 0)
        if world.delayed:
            return self._pass_time
        if gate := self._gate_to_answer(("approval", "question", "absence", "unresolvable")):
            return self._act if self._acts and self._acts[0][0] == "cancel" else partial(self._answer, gate)
        if self._due() is not None:
            return self._pass_time
        if gate := self._gate_to_answer(("in_doubt",)):
            return partial(self._answer, gate)
        if self._acts:
            return self._act
        return self._undo_again()

    def _next_at_random(self) -> Callable[[], None] | None:
        """Anything that can happen; what has to happen in the end is left when nothing else is."""
        assert self.chance is not None
        world = self._stage.world
        if self._acts and self._acts[0][0] == "start":
            return self._act
        moves: list[Callable[[], None]] = []
        moves += [partial(self._deliver, place) for place in range(min(len(world.waiting), 6))] * 3
        moves += [partial(self._go_on, place) for place in range(len(world.stopped))]
        moves += [partial(self._end_late, place) for place in range(len(world.late))]
        if gate := self._gate_to_answer(("approval", "question", "absence", "unresolvable")):
            moves.append(partial(self._answer, gate))
        if self._acts and (self._acts[0][0] == "cancel" or self._closed()):
            moves.append(self._act)
        if moves and self._due() is not None:
            moves.append(self._pass_time)
        return self.chance.choice(moves) if moves else self._next()

    def _due(self) -> Any:
        """The earliest date at which sweep finds something."""
        dates = [date for document in self._stage.world.documents.values() if (date := getattr(document, "due", None))]
        return min(dates, default=None)

    def _closed(self) -> bool:
        return any(isinstance(document, Run) and document.closed for document in self._stage.world.documents.values())

    def _gate_to_answer(self, kinds: Sequence[str]) -> Gate | None:
        """An announced gate that nobody has answered yet."""
        for document in self._stage.world.documents.values():
            if not isinstance(document, Gate) or document.id in self._asked or document.z.kind not in kinds:
                continue
            if document.waiting and document.z.announced:
                return document
        return None

    # What can happen.

    def _deliver(self, place: int) -> None:
        message = self._stage.world.waiting.pop(place)
        handler = self._stage.handler(named(message), lambda runtime: runtime.engine.handle(message), message)
        self._do(handler)

    def _act(self) -> None:
        name, act = self._acts.pop(0)
        self._do(self._stage.handler(name, act))

    def _answer(self, gate: Gate) -> None:
        in_doubt = gate.z.kind == "in_doubt"
        word = the_truth(gate, self._stage.world.effects) if in_doubt else self.scenario.decide(gate)
        self._asked.add(gate.id)

        def act(runtime: Runtime) -> object:
            return runtime.gates.decide(gate.id, word, user=OWNER, via="http", operator=True, answer_id=f"to {gate.id}")

        self._do(self._stage.handler(f"a person says {word!r} to {gate.id}", act))

    def _go_on(self, place: int) -> None:
        handler = self._stage.world.stopped.pop(place)
        self.tell(f"#{handler.number} goes on: {handler.name}")
        self._after(handler, self._stage.run(handler), again=not handler.taken_over)

    def _end_late(self, place: int) -> None:
        late: LateCall = self._stage.world.late.pop(place)
        outcome = late.end()

        def act(runtime: Runtime) -> object:
            return runtime.engine.late(late.call, outcome)

        self._do(self._stage.handler(f"the call of {late.call.tool} ends late: {outcome.ending}", act), again=False)

    def _release_overtaken(self) -> None:
        world = self._stage.world
        world.waiting, world.overtaken = world.overtaken, []
        self.tell("— the messages that were overtaken arrive")

    def _pass_time(self) -> None:
        """Until the next thing is due, or delayed messages come; then sweep looks."""
        world = self._stage.world
        due = self._due()
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
        elif handler.tries < MAX_TRIES:
            other = self._stage.handler(f"{handler.name.removesuffix(AGAIN)}{AGAIN}", handler.act)
            other.tries = handler.tries + 1
            self._do(other)

    # What the owner of the run does.

    def _start(self, runtime: Runtime) -> object:
        return start(runtime, self.scenario.message)

    def _cancel(self, runtime: Runtime) -> object:
        run = self._run()
        return runtime.runs.cancel(run.id, owner=OWNER) if run is not None else "there is no run yet"

    def _undo(self, runtime: Runtime, *, replan: bool = False) -> object:
        run = self._run()
        if run is None:
            return "there is no run yet"
        try:
            return runtime.runs.undo(run.id, owner=OWNER, replan=replan)
        except Conflict:
            return "under way"

    def _undo_again(self) -> Callable[[], None] | None:
        """An undo that had to stop is asked for again, as a person does who has looked at what it shows."""
        run = self._run()
        if "undo" not in self.scenario.acts or run is None or run.status != "partial" or self._undos == 2:
            return None
        if run.undo is None or not run.undo.stopped:
            return None
        self._undos += 1
        self._acts = [("undo", partial(self._undo, replan=True))]
        return self._act

    def _run(self) -> Run | None:
        return next((found for found in self._stage.world.documents.values() if isinstance(found, Run)), None)

    def _violated(self, invariant: str, what: str) -> None:
        violation = Violation(invariant, what)
        self._stage.violations.append(violation)
        self.tell(f"VIOLATED {violation}")


def start(runtime: Runtime, message: Any) -> object:
    """Start the one run of a simulation, as a client does who gives it a key."""
    value = {"message": message} if isinstance(message, str) else message
    return runtime.runs.start(RunRequest(input=value, session="session"), owner=OWNER, idempotency_key="key")
