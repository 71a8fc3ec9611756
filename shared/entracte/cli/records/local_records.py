"""Runs in a store of this machine, without the network that made them: it need not even be installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents.agent import Agent
from entracte.agents.models import Models
from entracte.agents.network import Network
from entracte.cli.records.records import Details, Json, RunPage
from entracte.cli.runners.gate_decision import Decision
from entracte.core.addresses import run_path
from entracte.core.documents.gate import Gate
from entracte.core.documents.journal import Entry
from entracte.core.messages import Message
from entracte.core.runs.retention import RETENTION
from entracte.ports.store import Store
from entracte.runtime.compose import Runtime, compose
from entracte.runtime.engine.workers import worker_name
from entracte.runtime.services.gates import Gates
from entracte.runtime.services.page import Page
from entracte.runtime.services.rendering import action_json, entry_json, frame_json, gate_json, run_json, state_json

if TYPE_CHECKING:
    from entracte.cli.records.recollections import LocalRecollections
    from entracte.cli.records.upkeep import LocalUpkeep
    from entracte.runtime.services.local_desk import LocalDesk

MAX_GATES = 200
"""Latest gates that are listed."""


class NoBus:
    """Publishes nothing: whatever should be is picked up by the next process that runs agents."""

    def publish(self, messages: Sequence[Message]) -> None: ...

    def close(self) -> None: ...


def runtime_on(store: Store, retention: timedelta | None = RETENTION) -> Runtime:
    """A runtime for reading what a store keeps. Nothing sweeps, and nothing is brought forward."""
    nobody = Network(entry=Agent(name="nobody"), models=Models(main="none/none"))
    no_secrets = EnvironmentSecrets({})
    return compose(
        nobody,
        store=store,
        bus=NoBus(),
        clock=SystemClock(),
        secrets_port=no_secrets,
        worker=worker_name(),
        retention=retention,
    )


def decide_here(gates: Gates, gate: Json, decision: Decision, *, owner: str) -> Json:
    """Decide a gate as it was shown. Whoever can open the store's file could write anything into it: an operator."""
    decided = gates.decide(
        gate["id"],
        decision.word,
        user=decision.by or owner,
        via="cli",
        operator=True,
        digest=gate["digest"],
        reason=decision.reason,
        edited_arguments=decision.arguments,
    )
    return gate_json(decided)


class LocalRecords:
    """Records in a store.

    Args:
        owner: Whose runs are shown, and the gates that name this person as an approver.
        retention: How long a run is kept that is closed here; None for ever.
    """

    def __init__(self, store: Store, *, owner: str, retention: timedelta | None = RETENTION) -> None:
        runtime = runtime_on(store, retention)
        self._store = store
        self._runs = runtime.runs
        self._open_shelf = runtime.open_shelf
        self._open_memories = runtime.open_memories
        self._engine = runtime.engine
        self._gates = runtime.gates
        self._owner = owner

    def find(self, reference: str) -> Json:
        return run_json(self._runs.find(reference, owner=self._owner))

    def page(self, filters: Mapping[str, str], *, limit: int, after: str) -> RunPage:
        """Runs, newest first. The next page is asked for with the id of the last run of this one."""
        last = self._runs.find(after, owner=self._owner) if after else None
        place = (last.created, run_path(last.id)) if last is not None else None
        page = self._runs.list(owner=self._owner, filters=filters, limit=limit, after=place)
        while not page.items and page.after is not None:  # none of them can be read
            page = self._runs.list(owner=self._owner, filters=filters, limit=limit, after=page.after)
        return RunPage(tuple(map(run_json, page.items)), page.items[-1].id if page.after is not None else "")

    def journal(self, run: str) -> Iterator[Json]:
        found = self._runs.get(run, owner=self._owner)
        page: Page[Entry] = self._runs.journal(found)
        yield from map(entry_json, page.items)
        while page.after is not None:
            page = self._runs.journal(found, after=page.after)
            yield from map(entry_json, page.items)

    def details(self, run: str) -> Details:
        found = self._runs.get(run, owner=self._owner)
        return Details(
            frames=tuple(map(frame_json, self._runs.frames(found))),
            actions=tuple(map(action_json, self._runs.actions(found))),
            gates=self.gates(run=run),
            journal=tuple(self.journal(run)),
        )

    def gates(self, *, run: str = "", status: str = "") -> tuple[Json, ...]:
        if run:
            found = self._gates.of_run(self._runs.get(run, owner=self._owner).id)
        else:
            found = (
                *self._gates.list(user=self._owner, status=status, limit=MAX_GATES).items,
                *self._gates.list_to_decide(user=self._owner, limit=MAX_GATES).items,
            )
        wanted: dict[str, Gate] = {gate.id: gate for gate in found if status in ("", gate.status)}
        return tuple(map(gate_json, sorted(wanted.values(), key=lambda gate: (gate.created, gate.id))))

    def state(self, session: str) -> dict[str, Any]:
        return state_json(self._runs.session(session, owner=self._owner).state)

    def decide(self, gate: Json, decision: Decision) -> Json:
        """Decide a gate of an MCP client's run: nothing goes on before the client asks again."""
        return decide_here(self._gates, gate, decision, owner=self._owner)

    def cancel(self, run: str) -> Json:
        return run_json(self._runs.cancel(run, owner=self._owner))

    def desk(self, session: str) -> LocalDesk:
        from entracte.runtime.services.local_desk import LocalDesk

        return LocalDesk(self._open_shelf(self._runs.session(session, owner=self._owner).id, self._owner))

    def export(self, session: str) -> Json:
        from entracte.runtime.services.session_files import exported

        found = self._runs.session(session, owner=self._owner)
        return exported(self._engine.repository, found, self._open_shelf(found.id, self._owner))

    def load(self, data: Json, session: str) -> str:
        from entracte.runtime.services.session_files import put_in

        id = session or self._engine.process.new_token()
        now = self._engine.clock.now()
        shelf = self._open_shelf(id, self._owner)
        return put_in(self._engine.repository, data, shelf, id=id, owner=self._owner, now=now).id

    def memories(self) -> LocalRecollections:
        from entracte.cli.records.recollections import LocalRecollections

        return LocalRecollections(self._open_memories(self._owner), owner=self._owner)

    def upkeep(self) -> LocalUpkeep:
        from entracte.cli.records.upkeep import LocalUpkeep

        return LocalUpkeep(self._engine)

    def close(self) -> None:
        self._store.close()
