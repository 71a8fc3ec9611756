"""A runtime on simulated ports, and everything that is outside it: documents, messages, time, and what tools did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar

from msgspec.structs import replace

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.models.registry import open_model
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents.network import Network
from entracte.core.addresses import kind_of
from entracte.core.calls import Call, ToolOutcome
from entracte.core.documents.base import Document
from entracte.core.documents.journal import Entry
from entracte.core.messages import Message
from entracte.errors import RetryableError, TerminalError
from entracte.ports.model import Model
from entracte.ports.store import Create, Update, Version, Write
from entracte.runtime.compose import compose
from entracte.testing.simulation.effects import Effect, HeardEnd
from entracte.testing.simulation.faults import PortKind
from entracte.testing.simulation.handler import Crash, Handler, Stopped
from entracte.testing.simulation.invariants import INVARIANTS
from entracte.testing.simulation.moment import EventKind, Invariant, Moment, Violation
from entracte.testing.simulation.ports import (
    SimulatedBus,
    SimulatedClock,
    SimulatedModel,
    SimulatedStore,
    SimulatedTools,
)

T = TypeVar("T")

End = Literal["done", "again", "refused", "crash", "stopped", "paused"]
"""How far a handler came: to its end; to an error for which it is tried again, or not; to the death of its process; or
to a point at which it stands still, for a moment or beyond its lease."""

BEGINNING = datetime(2026, 1, 1, 9, tzinfo=UTC)


@dataclass(slots=True)
class World:
    """Everything that is not the runtime's. Copied where futures part.

    Attributes:
        documents, versions: As they are in the store, by path.
        waiting: Messages that the bus would deliver now, oldest first.
        overtaken, delayed: Messages that it holds back: until nothing else moves; until time has passed.
        stopped: Handlers that stand still.
        late: Calls whose end, or whose beginning, comes after their delivery has given them up.
        heard: Ends of changing calls that handlers have dealt with.
        handlers: How many there have been.
        begun: How many of each name, in an exploration.
    """

    store: MemoryStore = field(default_factory=MemoryStore)
    documents: dict[str, Document] = field(default_factory=dict)
    versions: dict[str, Version] = field(default_factory=dict)
    journal: list[str] = field(default_factory=list)
    now: datetime = BEGINNING
    waiting: list[Message] = field(default_factory=list)
    overtaken: list[Message] = field(default_factory=list)
    delayed: list[Message] = field(default_factory=list)
    stopped: list[Handler] = field(default_factory=list)
    late: list[LateCall] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    heard: list[HeardEnd] = field(default_factory=list)
    handlers: int = 0
    begun: Mapping[str, int] = field(default_factory=dict)

    def copy(self) -> World:
        """For another future of the same past."""
        return World(
            store=self.store.copy(),
            documents=dict(self.documents),
            versions=dict(self.versions),
            journal=list(self.journal),
            now=self.now,
            waiting=list(self.waiting),
            overtaken=list(self.overtaken),
            delayed=list(self.delayed),
            stopped=[handler.copy() for handler in self.stopped],
            late=list(self.late),
            effects=list(self.effects),
            heard=list(self.heard),
            handlers=self.handlers,
            begun=self.begun,
        )


@dataclass(frozen=True, slots=True)
class LateCall:
    """A call that goes on by itself. `end` acts now if it has not yet, and gives what it came to."""

    call: Call
    end: Callable[[], Any]


class Director(Protocol):
    """Decides what becomes of each call of a port that a handler makes for the first time."""

    def meet(self, handler: Handler, kind: PortKind, what: str, do: Callable[[], Any]) -> Any:
        """Give the answer, or raise an error, `Crash` or `Stopped`."""
        ...

    def tell(self, line: str) -> None:
        """Something for the trace."""
        ...


class Stage:
    """Where a simulation happens.

    Args:
        network: What runs; its tools are called for real.
        model: Answers every request; None opens the network's own models.
        invariants: Checked after every event.

    Attributes:
        violations: What did not hold so far.
        events: How many there were.
        altered: The agent was told of a fault, so that the run may have gone another way.
    """

    def __init__(
        self,
        network: Network,
        model: Model | None,
        director: Director,
        invariants: Sequence[Invariant] = INVARIANTS,
    ) -> None:
        self.network = network
        self.world = World()
        self.violations: list[Violation] = []
        self.events = 0
        self.altered = False
        self._director = director
        self._invariants = invariants
        self._current: Handler | None = None
        self._inside = False
        self.runtime = compose(
            network,
            store=SimulatedStore(self),
            bus=SimulatedBus(self),
            clock=SimulatedClock(self),
            secrets_port=EnvironmentSecrets({}),
            worker="simulated",
            open_model=lambda name: SimulatedModel(self, model or _opened(network, name)),
            around_tools=lambda tools: SimulatedTools(self, tools),
            new_token=self._token,
            pause=lambda race: None,
        )

    @property
    def lease(self) -> timedelta:
        """Longer than any lease."""
        return self.runtime.engine.process.timeout + timedelta(seconds=61)

    def handler(self, name: str, act: Callable[[Any], object], message: Message | None = None) -> Handler:
        """A new one."""
        self.world.handlers += 1
        return Handler(self.world.handlers, name, act, message)

    def run(self, handler: Handler) -> End:
        """Do a handler, or do it once more. Gives its end, as `End` has it."""
        handler.begin()
        self._current = handler
        self._inside = False
        try:
            told = handler.act(self.runtime)
        except Crash:
            return "crash"
        except Stopped as stopped:
            return "paused" if stopped.long else "stopped"
        except RetryableError as error:
            self._director.tell(f"again later: {error.code}")
            return "again"
        except TerminalError as error:
            self._director.tell(f"refused: {error.code}: {error}")
            return "refused"
        except Exception as error:  # noqa: BLE001  # a bug is what a simulation looks for
            self.violations.append(Violation("no handler breaks", f"{type(error).__name__}: {error}"))
            return "refused"
        finally:
            self._current = None
            self._inside = False
        self.world.heard += handler.ends
        self._director.tell(f"done: {told if isinstance(told, str) else 'ok'}")
        return "done"

    def port(self, kind: PortKind, what: str, do: Callable[[], Any]) -> Any:
        """A call of a port: what it answered before, or what the director makes of it."""
        handler = self._current
        if handler is None or self._inside:
            return do()
        if (reply := handler.heard_before()) is not None:
            return reply.give()
        return self._director.meet(handler, kind, what, do)

    def within(self, do: Callable[[], T]) -> T:
        """Do something that calls ports of its own: those are part of it."""
        before, self._inside = self._inside, True
        try:
            return do()
        finally:
            self._inside = before

    def now(self) -> datetime:
        """The time as the present handler's process has it."""
        return self.world.now + (self._current.skew if self._current is not None else timedelta(0))

    @property
    def skewed(self) -> bool:
        """Whether the present handler's process has the time wrong."""
        return self._current is not None and bool(self._current.skew)

    def first_look_at_clock(self) -> bool:
        return self._current is None or self._current.first_look_at_clock()

    def committed(self, writes: Sequence[Write]) -> None:
        """Some writes went through."""
        world = self.world
        paths = [write.path for write in writes if isinstance(write, (Create, Update))]
        changed: dict[str, tuple[Document | None, Document]] = {}
        for path, stored in world.store.load(paths).items():
            if "/chunks/" in path:
                continue
            after = kind_of(path).read(path, stored.fields)
            changed[path] = (world.documents.get(path), after)
            world.documents[path] = after
            world.versions[path] = stored.version
            if isinstance(after, Entry):
                world.journal.append(path)
        self.check("commit", changed=changed)

    def acted(self, effect: Effect) -> None:
        """A changing tool acted."""
        self.world.effects.append(effect)
        self.check("effect")

    def heard(self, call: Call, outcome: ToolOutcome) -> None:
        """The present handler hears how a changing call ended."""
        if self._current is not None and call.idempotency_key == call.action:
            self._current.ends.append(HeardEnd(call.action, call.attempt, outcome.ending))

    def check(
        self,
        kind: EventKind,
        *,
        changed: Mapping[str, tuple[Document | None, Document]] | None = None,
        messages: Sequence[Message] = (),
        request: Any = None,
    ) -> None:
        """Look whether everything holds that always holds."""
        self.events += 1
        world = self.world
        moment = Moment(
            kind=kind,
            now=world.now,
            blueprint=self.network.blueprint,
            documents=world.documents,
            changed=changed or {},
            messages=messages,
            request=request,
            effects=world.effects,
            heard=world.heard,
            journal=world.journal,
        )
        for invariant in self._invariants:
            for what in invariant.check(moment):
                violation = Violation(invariant.name, what)
                self.violations.append(violation)
                self._director.tell(f"VIOLATED {violation}")

    def honours_key(self, tool: str) -> bool:
        spec = self.network.blueprint.tools.get(tool)
        return spec is not None and spec.idempotent

    def is_readonly(self, tool: str) -> bool:
        spec = self.network.blueprint.tools.get(tool)
        return spec is not None and spec.readonly

    def in_time(self, call: Call) -> Call:
        """The call with time to be made now, whenever it was meant to be made."""
        return replace(call, deadline=self.world.now + timedelta(seconds=30))

    def _token(self) -> str:
        return self._current.token() if self._current is not None else "0" * 20


def _opened(network: Network, name: str) -> Model:
    options = network.model_options.get(name)
    return open_model(name) if options is None else open_model(name, base_url=options.base_url)
