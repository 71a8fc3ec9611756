"""A network on fakes, one message at a time, delivered in an order that the test chooses.

It does what the deployed functions would do with the same messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from itertools import count
from typing import Any

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents.network import Network
from entracte.core.documents.run import Run
from entracte.core.messages import Message
from entracte.core.pricing import Price, Prices
from entracte.core.runs.starting import RunRequest
from entracte.errors import RetryableError
from entracte.ports.bus import Bus
from entracte.ports.embedder import Embedder
from entracte.ports.model import Model
from entracte.ports.store import Store
from entracte.ports.tools import Tools
from entracte.ports.tracing import Tracing
from entracte.runtime.compose import Runtime, compose
from entracte.runtime.upkeep.sweep import Sweep
from entracte.testing.bus import HeldBus
from entracte.testing.clock import FakeClock
from entracte.testing.crashing import Crash, CrashingBus, CrashingStore, Fuse

MAX_DELIVERIES = 2000

FREE = Prices({"*": [Price(prompt=0, output=0)]})
"""Every model answers for nothing."""


class World:
    """One store, one bus, one clock, and as many processes as the test starts.

    Args:
        network: What runs.
        model: Answers every request.
        prices: What models cost; nothing, by default.
        secrets: By name.
        embedder: Says what texts mean, where the network names an embedding model.
        tracing: Is told what is done.
    """

    def __init__(
        self,
        network: Network,
        model: Model,
        *,
        store: Store | None = None,
        prices: Prices = FREE,
        secrets: Mapping[str, str] | None = None,
        embedder: Embedder | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self.network = network
        self.model = model
        self.prices = prices
        self.secrets = dict(secrets or {})
        self.embedder = embedder
        self.tracing = tracing
        self.clock = FakeClock()
        self.store: Store = store or MemoryStore()
        self.bus = HeldBus()
        self._tokens = count()
        self.process = self.new_process()

    def new_process(
        self,
        *,
        store: Callable[[Store], Store] = lambda s: s,
        bus: Callable[[Bus], Bus] = lambda b: b,
        tools: Callable[[Tools], Tools] = lambda t: t,
        shares_store: bool = False,
        adopted: frozenset[str] = frozenset(),
    ) -> Runtime:
        """Another process on the same store and bus.

        Args:
            store, bus, tools: Put something in front, such as a `CrashingStore`.
            shares_store, adopted: As for `compose`.
        """
        return compose(
            self.network,
            store=store(self.store),
            bus=bus(self.bus),
            clock=self.clock,
            secrets_port=EnvironmentSecrets(self.secrets),
            worker=f"test:{next(self._tokens)}",
            open_model=lambda name: self.model,
            embedder=lambda: self.embedder,
            around_tools=tools,
            shares_store=shares_store,
            adopted=adopted,
            prices=self.prices,
            tracing=self.tracing,
            new_token=lambda: f"{next(self._tokens):020x}",
            pause=lambda race: None,
        )

    def dying(self, fuse: Fuse) -> Runtime:
        """Another process, which dies where the fuse blows."""
        return self.new_process(store=lambda s: CrashingStore(s, fuse), bus=lambda b: CrashingBus(b, fuse))

    def again(self, *, network: Network | None = None, model: Model | None = None, store: Store | None = None) -> World:
        """Everything stopped and started again at the same time: a new process and an empty bus.

        Args:
            network, model: What is deployed now, if it is something else.
            store: The same documents, opened again.
        """
        other = copy(self)
        other.network, other.model = network or self.network, model or self.model
        other.store, other.bus = store or self.store, HeldBus()
        other.process = other.new_process()
        return other

    def start(
        self, message: Any, *, key: str = "key", session: str = "session", agent: str = "", route: str = ""
    ) -> Run:
        """Start a run; the same key gives the same id in every world."""
        value = {"message": message} if isinstance(message, str) else message
        request = RunRequest(input=value, session=session, agent=agent, route=route)
        return self.process.runs.start(request, owner="ada", idempotency_key=key)

    def run(self, run_id: str) -> Run:
        """A run as it is now."""
        return self.process.runs.get(run_id, owner="ada")

    def deliver(self, message: Message, process: Runtime | None = None) -> str:
        """Deliver one message. One that asks to come later is put back, and time passes.

        Raises:
            Crash: The process was made to die.
        """
        try:
            return (process or self.process).engine.handle(message)
        except RetryableError as error:
            self.clock.advance(seconds=10)
            self.bus.waiting.append(message)
            return f"again later: {error.code}"

    def settle(self, process: Runtime | None = None) -> Runtime | None:
        """Deliver until nothing waits. Gives the process that has outlived it.

        Args:
            process: Is delivered to until it dies; what it did not acknowledge goes to another one.
        """
        for _ in range(MAX_DELIVERIES):
            if not self.bus.waiting:
                return process
            message = self.bus.waiting.pop(0)
            try:
                self.deliver(message, process)
            except Crash:
                if process is None:
                    raise
                process = None
                self.bus.waiting.append(message)
                self.clock.advance(seconds=10)  # a broken connection is a nack: delivered again after the backoff
        raise AssertionError(f"not settled after {MAX_DELIVERIES} deliveries")

    def sweep(self) -> int:
        """Look at what is due now."""
        return Sweep(self.process.engine, self.bus).run()

    def heal(self) -> None:
        """What time brings: leases end, sweep looks at what is due."""
        for _ in range(5):
            self.clock.advance(minutes=20)
            self.sweep()
            self.settle()

    def ask(self, message: Any, **how: str) -> Run:
        """Start a run and deliver until it ends or waits."""
        run = self.start(message, **how)
        self.settle()
        return self.run(run.id)

    def documents(self) -> dict[str, dict[str, Any]]:
        """Every document by path, as plain fields."""
        from entracte.core.addresses import KINDS
        from entracte.ports.store import Query

        kinds = [*KINDS, "chunks", "sealed"]
        found = (doc for kind in kinds for doc in self.store.query(Query(collection=kind, limit=1000)))
        return {doc.path: dict(doc.fields) for doc in found}
