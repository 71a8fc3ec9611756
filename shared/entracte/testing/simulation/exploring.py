"""Every interleaving of a small run: so many workers, with people and the run's owner acting at any moment.

Breadth first, one call of a shared port (store, bus, tool) at a time; what a handler does between two such calls
concerns nobody else. States that are equal, up to names and how long ago things were, are looked at once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from entracte.core.documents.gate import Gate
from entracte.core.messages import Message
from entracte.runtime.compose import Runtime
from entracte.testing.simulation.effects import HeardEnd
from entracte.testing.simulation.faults import PortKind
from entracte.testing.simulation.handler import Before, Handler, Reply, Stopped
from entracte.testing.simulation.invariants import INVARIANTS
from entracte.testing.simulation.moment import Invariant, Violation
from entracte.testing.simulation.owner import OWNER, acting, run_among, start
from entracte.testing.simulation.ports import named
from entracte.testing.simulation.report import SimulationFailed
from entracte.testing.simulation.scenario import Scenario
from entracte.testing.simulation.stage import End, Stage, World
from entracte.testing.simulation.state_key import StateKeys

SHARED: frozenset[PortKind] = frozenset({"load", "query", "commit", "publish", "change"})
"""Calls in which handlers meet."""


@dataclass(frozen=True, slots=True)
class Explored:
    """What there was to see.

    Attributes:
        states: Different ones.
        steps: Ways from one to another that were tried.
        ends: How runs ended in states in which nothing moves any more, each with how many such states there are.
    """

    states: int
    steps: int
    ends: dict[str, int]
    seconds: float


@dataclass(slots=True)
class Node:
    """One state, and the way to it.

    Attributes:
        working: Handlers on their way.
        acts: What people and the owner have not done yet, by name.
        duplicates: Messages that may still be delivered twice.
    """

    world: World
    working: list[Handler]
    acts: tuple[str, ...]
    duplicates: int
    way: Way | None = None

    def copy(self, step: str) -> Node:
        working = [handler.copy() for handler in self.working]
        return Node(self.world.copy(), working, self.acts, self.duplicates, Way(self.way, step))


@dataclass(frozen=True, slots=True)
class Way:
    """The steps that led to a state, the last one first."""

    before: Way | None
    step: str

    def told(self) -> list[str]:
        """From the first one on."""
        return [*(self.before.told() if self.before is not None else ()), self.step]


@dataclass(frozen=True, slots=True)
class _Next:
    """What a handler comes to from one past, until it stands before a shared call: the same in all states of one time.

    Attributes:
        hears: Answers of calls that are not shared, on the way.
        before: The call that it stands before.
        ends: Ends of changing calls that it has heard of.
    """

    end: End
    hears: tuple[Reply, ...]
    before: Before | None
    ends: tuple[HeardEnd, ...]


class Exploration:
    """Of one scenario, whose tools have to work without memory of their own.

    Args:
        workers: Deliveries at once.
        acts: What happens at any moment: ``approve`` (or deny) the gate, once it is there; ``cancel``; ``undo``.
        duplicates: Messages that are delivered twice.
        from_gate: Nobody acts, and one worker delivers in order, until the gate has been announced.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        workers: int = 2,
        acts: Sequence[str] = ("approve", "cancel"),
        duplicates: int = 0,
        from_gate: bool = False,
        invariants: Sequence[Invariant] = INVARIANTS,
    ) -> None:
        self._workers = workers
        model = scenario.model() if scenario.model is not None else None
        self._stage = Stage(scenario.network(), model, _Director(self), invariants)
        self._message = scenario.message
        self._from_gate = from_gate
        self._replies: dict[str, Reply] = {}  # equal ones are one, so that a past is known by their identities
        self._known: dict[tuple[object, ...], _Next] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._first = Node(World(), [], tuple(acts), duplicates)

    def explore(self, *, most_states: int = 1_000_000) -> Explored:
        """Look at every state.

        Raises:
            SimulationFailed: Something did not hold; its trace is the shortest way there.
        """
        began = time.monotonic()
        first, keys = self._begun(), StateKeys()
        seen = {keys.of(first.world, first.working, (first.acts, first.duplicates))}
        queue, steps, ends = deque([first]), 0, dict[str, int]()
        while queue:
            node = queue.popleft()
            moved = False
            for after in self._after(node):
                steps += 1
                self._check(after)
                key = keys.of(after.world, after.working, (after.acts, after.duplicates))
                moved = True
                if key not in seen:
                    seen.add(key)
                    queue.append(after)
                if len(seen) > most_states:
                    raise SimulationFailed([Violation("bounded", "too many states")], seed=None, faults={}, trace=[])
            if not moved:
                end = self._end_of(node)
                ends[end] = ends.get(end, 0) + 1
        return Explored(len(seen), steps, ends, time.monotonic() - began)

    def meet(self, handler: Handler, kind: PortKind, do: Callable[[], Any]) -> Any:
        """Make the call, or stand still before it."""
        if kind in SHARED:
            handler.before = (kind, do)
            raise Stopped
        return handler.hears(self._reply(kind, do))

    def _reply(self, kind: PortKind, do: Callable[[], Any]) -> Reply:
        try:
            reply = Reply(do())
        except Exception as error:  # noqa: BLE001  # the handler hears it, whenever it is done once more
            reply = Reply(error=error)
        if kind == "publish" and reply.error is None:
            self._stage.world.waiting += reply.value
            reply = Reply()
        return self._replies.setdefault(repr(reply), reply)

    # What can happen in a state.

    def _begun(self) -> Node:
        node = self._first.copy("start")
        self._stage.world = node.world
        self._finish(node, self._handler(node, "start", lambda runtime: start(runtime, self._message)))
        while self._from_gate and node.world.waiting:
            message = node.world.waiting.pop(0)
            self._finish(node, self._delivery(node, message))
        return node

    def _finish(self, node: Node, handler: Handler) -> None:
        """Do it to its end while nobody else does anything."""
        while self._further(handler) == "stopped":
            pass
        self._check(node)

    def _after(self, node: Node) -> Iterator[Node]:
        for place, handler in enumerate(node.working):
            after = node.copy(f"#{handler.number} goes on: {handler.name}")
            yield self._step(after, after.working.pop(place))
        if sum(handler.message is not None for handler in node.working) < self._workers:
            for message in dict.fromkeys(node.world.waiting):
                yield self._delivered(node, message, twice=False)
                if node.duplicates:
                    yield self._delivered(node, message, twice=True)
        for act in node.acts:
            if act != "approve" or self._gate(node.world) is not None:
                after = node.copy(act)
                after.acts = tuple(other for other in node.acts if other != act)
                self._stage.world = after.world
                yield self._step(after, self._handler(after, act, self._doing(act, node.world)))

    def _delivered(self, node: Node, message: Message, *, twice: bool) -> Node:
        after = node.copy(f"{named(message)}{' (and once more)' if twice else ''}")
        if twice:
            after.duplicates -= 1
        else:
            after.world.waiting.remove(message)
        return self._step(after, self._delivery(after, message))

    def _delivery(self, node: Node, message: Message) -> Handler:
        return self._handler(node, named(message), lambda runtime: runtime.engine.handle(message), message)

    def _handler(
        self, node: Node, name: str, act: Callable[[Runtime], object], message: Message | None = None
    ) -> Handler:
        """A new one; the second of its name has the same number whatever came before it."""
        node.world.begun = {**node.world.begun, name: (nth := node.world.begun.get(name, 0) + 1)}
        number = self._numbers.setdefault((name, nth), len(self._numbers) + 1)
        return Handler(number, name, act, message)

    def _step(self, node: Node, handler: Handler) -> Node:
        """One shared call further."""
        self._stage.world = node.world
        match self._further(handler):
            case "stopped" | "paused":
                node.working.append(handler)
            case "again" if handler.message is not None:
                node.world.now += timedelta(seconds=10)
                node.world.waiting.append(handler.message)
            case "again":
                node.world.now += timedelta(seconds=10)
                node.acts = (*node.acts, handler.name)
            case _:
                pass
        return node

    def _further(self, handler: Handler) -> End:
        """Make the call that it stands before, which is its first if it has not begun, and go on to the next."""
        if handler.before is None and (end := self._go_on(handler)) != "stopped":
            return end
        assert handler.before is not None
        handler.replies.append(self._reply(*handler.before))
        return self._go_on(handler)

    def _go_on(self, handler: Handler) -> End:
        """Up to the next shared call. What is known of its past is not done once more."""
        past = (handler.number, handler.message, self._stage.world.now, *map(id, handler.replies))
        if (known := self._known.get(past)) is None:
            heard = len(handler.replies)
            handler.before = None
            end = self._stage.run(handler)
            self._known[past] = _Next(end, tuple(handler.replies[heard:]), handler.before, tuple(handler.ends))
            return end
        handler.replies += known.hears
        handler.before, handler.ends = known.before, list(known.ends)
        if known.end == "done":
            self._stage.world.heard += known.ends
        return known.end

    def _check(self, node: Node) -> None:
        if self._stage.violations:
            assert node.way is not None
            raise SimulationFailed(self._stage.violations, seed=None, faults={}, trace=node.way.told())

    def _end_of(self, node: Node) -> str:
        """How it ended; what is wrong with a state in which nothing moves any more is raised."""
        self._stage.world = node.world
        self._stage.check("rest")
        self._check(node)
        run = run_among(node.world.documents)
        return f"{run.status}, {len(node.world.effects)} effects" if run is not None else "nothing"

    # What people and the owner do.

    def _gate(self, world: World) -> Gate | None:
        return next((found for found in world.documents.values() if isinstance(found, Gate)), None)

    def _doing(self, act: str, world: World) -> Callable[[Runtime], object]:
        if act != "approve":
            return acting(act, run_among(world.documents))
        gate = self._gate(world)
        assert gate is not None
        return lambda runtime: runtime.gates.decide(
            gate.id, act, user=OWNER, via="http", operator=True, answer_id=f"to {gate.id}"
        )


@dataclass(slots=True)
class _Director:
    exploration: Exploration

    def meet(self, handler: Handler, kind: PortKind, what: str, do: Callable[[], Any]) -> Any:
        return self.exploration.meet(handler, kind, do)

    def tell(self, line: str) -> None:
        """The way to a state is trace enough."""
