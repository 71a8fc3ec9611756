"""A network in this process."""

from __future__ import annotations

from typing import Any

from entracte.cli.records.local_records import LocalRecords, decide_here
from entracte.cli.records.records import Json
from entracte.cli.records.tally import Tally, tally_of
from entracte.cli.runners.gate_decision import Decision
from entracte.cli.runners.runner import OnEvent
from entracte.core.events import Event
from entracte.core.undo.progress import undo_message
from entracte.errors import Conflict
from entracte.runtime.loading import network_of
from entracte.runtime.local.embedded import Embedded, open_embedded
from entracte.runtime.services.rendering import action_json, frame_json, run_json
from entracte.runtime.settings import Settings

_NUDGE_S = 15.0
"""How often an undo is asked to go on: what it waits for, such as a call under way, does not tell it."""


class LocalRunner:
    """The embedded runtime. While it is open, it also goes on with runs of its network that others have left."""

    def __init__(self, embedded: Embedded) -> None:
        self._embedded = embedded
        self._records = LocalRecords(
            embedded.runtime.store, owner=embedded.owner, retention=embedded.runtime.engine.process.retention
        )

    @classmethod
    def open(cls, settings: Settings, on_event: OnEvent | None, *, run: str = "") -> LocalRunner:
        """Load the network that the settings name, and open its store.

        Args:
            run: Id of one to go on with, whichever network made it: whoever named another has chosen so.

        Raises:
            ConfigurationError: A setting or the network cannot be used.
        """
        observers = [_Telling(on_event)] if on_event is not None else []
        return cls(
            open_embedded(network_of(settings), settings, observers=observers, adopted=frozenset({run} if run else ()))
        )

    @property
    def records(self) -> LocalRecords:
        return self._records

    def start(self, message: str, *, agent: str, session: str, route: str = "") -> Json:
        return self._embedded.start(message, agent=agent or None, route=route or None, session=session or None).data

    def wait(self, run: str) -> Json:
        while True:
            found = self._embedded.wait(run, timeout_s=_NUDGE_S)
            if found.status == "undoing":
                self._nudge(run)
            elif found.status not in ("queued", "running"):
                return found.data

    def tally(self, run: str) -> Tally:
        runs = self._embedded.runs
        found = runs.get(run, owner=self._embedded.owner)
        return tally_of([*map(frame_json, runs.frames(found))], [*map(action_json, runs.actions(found))])

    def state(self, session: str) -> dict[str, Any]:
        return self._embedded.get_state(session)

    def cancel(self, run: str) -> Json:
        return run_json(self._embedded.runs.cancel(run, owner=self._embedded.owner))

    def decide(self, gate: Json, decision: Decision) -> Json:
        return decide_here(self._embedded.runtime.gates, gate, decision, owner=self._embedded.owner)

    def undo(self, run: str, *, to: str, replan: bool) -> Json:
        owner = self._embedded.owner
        try:
            return run_json(self._embedded.runs.undo(run, owner=owner, to=to, replan=replan))
        except Conflict as error:
            if error.code != "undo_under_way":
                raise
        return run_json(self._embedded.runs.get(run, owner=owner))

    def resume(self, run: str) -> Json:
        return self._embedded.resume(run).data

    def retry(self, run: str) -> Json:
        return self._embedded.retry(run).data

    def fork(self, run: str, *, at: int, state: dict[str, Any]) -> Json:
        return self._embedded.fork(run, at=at, state=state).data

    def close(self) -> None:
        self._embedded.close()

    def _nudge(self, run: str) -> None:
        """Repeat the undo's message. Each of its moves is claimed, so that nothing is done twice."""
        found = self._embedded.runs.get(run, owner=self._embedded.owner)
        if found.undo is not None:
            self._embedded.runtime.bus.publish([undo_message(found, found.undo.current)])


class _Telling:
    """An observer that passes events on as JSON."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event

    def on_event(self, event: Event) -> None:
        self._on_event(event.as_json())
