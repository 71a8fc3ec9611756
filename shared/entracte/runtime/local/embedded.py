"""The embedded default: a network in this process, on an SQLite file, with no cloud and no key."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.sqlite.store import SqliteStore
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents.network import Network
from entracte.agents.observer import Observer
from entracte.core.documents.run import Run
from entracte.core.messages import Message
from entracte.core.payload import canonical
from entracte.core.runs.starting import RunRequest
from entracte.errors import AmbiguousCommit, EntracteError, StoreUnavailable
from entracte.ports.servers import Servers
from entracte.ports.store import Store
from entracte.running import Running
from entracte.runtime.compose import Runtime, compose
from entracte.runtime.engine.giving_up import give_up, reason_of
from entracte.runtime.engine.workers import is_dead, worker_name
from entracte.runtime.local.local_bus import LocalBus
from entracte.runtime.models import cloud_of, models_of
from entracte.runtime.prices import read_prices
from entracte.runtime.services.announcing import open_announcer
from entracte.runtime.services.rendering import run_json
from entracte.runtime.services.run_result import RunResult
from entracte.runtime.settings import Settings, folder_of, read_settings, store_file
from entracte.runtime.tracing import tracing_of
from entracte.runtime.upkeep.sweep import Sweep
from entracte.runtime.watching.listening import Listening

if TYPE_CHECKING:
    from entracte.runtime.services.local_desk import LocalDesk

log = logging.getLogger("entracte")

SWEEP_EVERY_S = 5.0

MAX_FAULTY_SWEEPS = 3
"""Sweeps in a row that the store failed before waiting ends. The end of a call that it did not take waits for them."""

MEMORIZE_S = 30.0
"""How long a process that ends waits until what is to be remembered is written. The next start does the rest."""

LOOK_EVERY_S = 0.25
"""How often a run that is waited for is looked at while other work goes on, here or in another process."""


class Embedded(Running):
    """A runtime with its own bus and sweep. What a dead process of the network left is picked up when it opens."""

    def __init__(self, runtime: Runtime, bus: LocalBus, *, owner: str, listening: Listening | None = None) -> None:
        self.runtime = runtime
        self.runs = runtime.runs
        self.owner = owner
        self._bus = bus
        self._listening = listening or Listening()
        self._sweep = Sweep(runtime.engine, bus)
        self._stop = threading.Event()
        self._sweep_fault: EntracteError | None = None  # of the store, while sweep after sweep has met one
        self._unwritten: dict[str, EntracteError] = {}  # by run: why the store did not take what came next in it
        bus.attach(runtime.engine.handle, self._give_up)
        worker = runtime.engine.process.worker
        self._sweep.release(lambda name: is_dead(name, own=worker))
        threading.Thread(target=self._sweep_now_and_then, name="entracte-sweep", daemon=True).start()
        atexit.register(self.close)

    def start(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> RunResult:
        request = RunRequest(
            input={"message": message} if isinstance(message, str) else message,
            agent=agent or "",
            route=route or "",
            session=session or "",
            metadata=dict(metadata or {}),
            models=dict(models or {}),
        )
        return self.result(self.runs.start(request, owner=self.owner))

    def wait(self, run: str, *, timeout_s: float | None = None) -> RunResult:
        until = time.monotonic() + timeout_s if timeout_s is not None else None
        while True:
            handled = self._bus.handled
            found = self._find(run)
            left = min(LOOK_EVERY_S, until - time.monotonic()) if until is not None else LOOK_EVERY_S
            if (found.closed and found.status != "undoing") or found.status in ("waiting", "stalled") or left <= 0:
                return self.result(found)
            self._raise_unwritten(run)
            self._bus.wait_quiet(handled, left)

    def events(self, run: str, *, to_the_end: bool = False) -> Iterator[Mapping[str, Any]]:
        feed = self.runtime.events.feed(self._find(run), shows_writing=False)
        with self._listening.to(run) as heard:
            while True:
                news = feed.look()
                yield from heard.pieces()  # those of a reply were heard before its commit could be seen
                yield from (told.event for told in news.told)
                if news.is_over:
                    return
                if not news.told:
                    if news.run.status in ("waiting", "stalled") and not to_the_end:
                        return
                    self._raise_unwritten(run)
                    yield from heard.until_news(LOOK_EVERY_S)

    def result(self, run: Run) -> RunResult:
        """A run as callers see it."""
        gates = self.runtime.gates.of_run(run.id) if run.status == "waiting" else ()
        return RunResult(run_json(run, gates), self.get_state)

    def decide(
        self, gate: str, decision: str, *, by: str = "", reason: str = "", arguments: Mapping[str, Any] | None = None
    ) -> None:
        """Answer a gate; the run goes on in the background. Whoever can open this store is an operator of it."""
        edited = canonical(dict(arguments)) if arguments is not None else ""
        self.runtime.gates.decide(
            gate, decision, user=by or self.owner, via="python", operator=True, reason=reason, edited_arguments=edited
        )

    def undo(self, run: str, *, to: str = "", replan: bool = False) -> RunResult:
        self.runs.undo(run, owner=self.owner, to=to, replan=replan)
        return self.wait(run)

    def resume(self, run: str) -> RunResult:
        from entracte.runtime.services.going_on import resume  # rarely needed

        return self.result(resume(self.runtime.engine, self._find(run), by=self.owner))

    def retry(self, run: str) -> RunResult:
        from entracte.runtime.services.going_on import retry

        return self.result(retry(self.runtime.engine, self._find(run), by=self.owner))

    def fork(self, run: str, *, at: int, state: Mapping[str, Any] | None = None) -> RunResult:
        from entracte.core.runs.forking import ForkRequest
        from entracte.runtime.services.forking import fork

        request = ForkRequest(run=run, at=at, state=dict(state or {}))
        return self.result(fork(self.runtime.engine, self._find(run), request))

    def get_state(self, session: str) -> dict[str, Any]:
        return self.runtime.state.get(session, owner=self.owner)

    def load_state(self, session: str, diff: Mapping[str, Any]) -> dict[str, Any]:
        return self.runtime.state.change(session, diff, owner=self.owner)

    def reset_state(self, session: str) -> None:
        self.runtime.state.reset(session, owner=self.owner)

    def artifacts(self, session: str) -> LocalDesk:
        from entracte.runtime.services.local_desk import LocalDesk

        known = self.runs.session(session, owner=self.owner)
        return LocalDesk(self.runtime.open_shelf(known.id, self.owner))

    def close(self) -> None:
        """Stop the threads and close the store."""
        atexit.unregister(self.close)
        if self.runtime.network.memory is not None:
            self._bus.wait_afterwards(MEMORIZE_S)
        self._stop.set()
        self.runtime.close()

    def _find(self, run: str) -> Run:
        return self.runs.get(run, owner=self.owner)

    def _give_up(self, message: Message, error: BaseException) -> None:
        if isinstance(error, (StoreUnavailable, AmbiguousCommit)):  # nor would the store take that it is given up
            log.error("message_given_up kind=%s run_id=%s %s", message.kind, message.run, error)
            self._unwritten[message.run] = error
        else:
            give_up(self.runtime.engine, message, reason_of(error))

    def _raise_unwritten(self, run: str) -> None:
        """Tell who waits for a run that the store fails; the run stays as it is, and sweep goes on with it."""
        if (error := self._unwritten.pop(run, None) or self._sweep_fault) is not None:
            raise error

    def _sweep_now_and_then(self) -> None:
        faulty = 0
        while not self._stop.wait(SWEEP_EVERY_S):
            try:
                self._sweep.run()
                faulty, self._sweep_fault = 0, None
            except (StoreUnavailable, AmbiguousCommit) as error:
                faulty += 1
                self._sweep_fault = error if faulty >= MAX_FAULTY_SWEEPS else None
                log.warning("sweep_failed %s", error)
            except Exception:
                if not self._stop.is_set():
                    log.exception("sweep_failed")


def open_embedded(
    network: Network,
    settings: Settings | None = None,
    *,
    store: Store | None = None,
    observers: Sequence[Observer] = (),
    servers: Servers | None = None,
    adopted: frozenset[str] = frozenset(),
) -> Embedded:
    """Open a network in this process.

    Args:
        settings: Read from the environment by default.
        store: In place of the one that the settings name.
        servers: Those of the network's manifest, if they are open already.
        adopted: Runs of other networks that it goes on with; all others are left to the networks that made them.
    """
    settings = settings or read_settings()
    bus, clock, secrets = LocalBus(), SystemClock(), EnvironmentSecrets(settings.variables)
    announce = open_announcer(settings, secrets, clock)
    listening = Listening()
    runtime = compose(
        network,
        store=store or open_store(settings.store),
        folder=folder_of(settings.store),
        bus=bus,
        clock=clock,
        secrets_port=secrets,
        announce=announce,
        send_link=announce.send_link,
        worker=worker_name(),
        timeout_s=settings.function_timeout_s,
        retention=settings.retention,
        shares_store=True,
        adopted=adopted,
        prices=read_prices(settings.prices),
        observers=(*observers, listening),
        servers=servers,
        tracing=tracing_of(settings),
        open_model=models_of(network, secrets, cloud_of(settings), record=settings.record),
    )
    return Embedded(runtime, bus, owner=settings.user, listening=listening)


def open_store(store: str) -> Store:
    """``memory``, or an SQLite file by path."""
    if store == "memory":
        return MemoryStore()
    return SqliteStore(store_file(store))
