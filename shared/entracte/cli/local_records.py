"""Runs in a store of this machine, without the network that made them: it need not even be installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from entracte.adapters.system.clock import SystemClock
from entracte.cli.records import Json, RunPage
from entracte.core.addresses import run_path
from entracte.core.blueprint import Blueprint, Roles
from entracte.core.budget import Limits
from entracte.core.documents.journal import Entry
from entracte.core.messages import Message
from entracte.errors import TerminalError
from entracte.ports.store import Store
from entracte.runtime.commits import Commits
from entracte.runtime.engine import Engine
from entracte.runtime.environment import Environment
from entracte.runtime.rendering import action_json, entry_json, frame_json, run_json, session_json
from entracte.runtime.repository import Repository
from entracte.runtime.runs import Page, Runs
from entracte.runtime.workers import worker_name


class _NoBus:
    """Cancelling publishes nothing; whatever else is published is picked up by the next process that runs agents."""

    def publish(self, messages: Sequence[Message]) -> None: ...

    def close(self) -> None: ...


def runs_in(store: Store) -> Runs:
    """The runs of a store, to be read and cancelled. Nothing sweeps and nothing is brought forward."""
    repository, bus, clock = Repository(store), _NoBus(), SystemClock()
    environment = Environment(
        worker=worker_name(), timeout=timedelta(minutes=1), new_token=worker_name, pause=lambda race: None
    )
    nothing = Blueprint(
        name="", version="", entry="", agents={}, tools={}, roles=Roles(main=""), state={}, limits=Limits()
    )
    engine = Engine(
        blueprint=nothing,
        repository=repository,
        commits=Commits(repository, bus, clock, environment, lambda event: None),
        clock=clock,
        environment=environment,
        perform=_performs_nothing,
    )
    return Runs(engine, bus)


class LocalRecords:
    """Records in a store.

    Args:
        owner: Whose runs are shown.
    """

    def __init__(self, store: Store, *, owner: str) -> None:
        self._store = store
        self._runs = runs_in(store)
        self._owner = owner

    def find(self, reference: str) -> Json:
        return run_json(self._runs.find(reference, owner=self._owner))

    def page(self, filters: Mapping[str, str], *, limit: int, after: str) -> RunPage:
        """Runs, newest first. The next page is asked for with the id of the last run of this one."""
        last = self._runs.find(after, owner=self._owner) if after else None
        page = self._runs.list(
            owner=self._owner,
            filters=filters,
            limit=limit,
            after=(last.created, run_path(last.id)) if last is not None else None,
        )
        return RunPage(tuple(map(run_json, page.items)), page.items[-1].id if page.after is not None else "")

    def journal(self, run: str) -> Iterator[Json]:
        found = self._runs.get(run, owner=self._owner)
        page: Page[Entry] = self._runs.journal(found)
        yield from map(entry_json, page.items)
        while page.after is not None:
            page = self._runs.journal(found, after=page.after)
            yield from map(entry_json, page.items)

    def frames(self, run: str) -> list[Json]:
        return [frame_json(frame) for frame in self._runs.frames(self._runs.get(run, owner=self._owner))]

    def actions(self, run: str) -> list[Json]:
        return [action_json(action) for action in self._runs.actions(self._runs.get(run, owner=self._owner))]

    def state(self, session: str) -> dict[str, Any]:
        found: dict[str, Any] = session_json(self._runs.session(session, owner=self._owner))["state"]
        return found

    def cancel(self, run: str) -> Json:
        return run_json(self._runs.cancel(run, owner=self._owner))

    def close(self) -> None:
        self._store.close()


def _performs_nothing(effect: object, deadline_s: float) -> Any:
    raise TerminalError(f"Nothing is run here: {effect!r}")
