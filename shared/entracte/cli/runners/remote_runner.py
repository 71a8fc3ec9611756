"""A network behind an API."""

from __future__ import annotations

from typing import Any

from entracte.cli.records.journal_reading import JournalReading
from entracte.cli.records.records import Json
from entracte.cli.records.remote_records import RemoteRecords
from entracte.cli.records.tally import Tally, tally_of
from entracte.cli.runners.gate_decision import Decision, read_arguments
from entracte.cli.runners.runner import OnEvent
from entracte.client import Client
from entracte.errors import Conflict

_MOVING = ("queued", "running", "undoing")
"""Status of a run that goes on by itself."""


class RemoteRunner:
    """Runs over HTTP. What happens is told by the API's stream of events."""

    def __init__(self, client: Client, on_event: OnEvent | None, *, model: str = "") -> None:
        self._client = client
        self._models = {"main": model, "planning": model} if model else None
        self._records = RemoteRecords(client)
        self._on_event = on_event
        self._last: dict[str, str] = {}  # id of the last event that was told, by run

    @property
    def records(self) -> RemoteRecords:
        return self._records

    def start(self, message: str, *, agent: str, session: str, route: str = "") -> Json:
        started = self._client.start(
            message, agent=agent or None, route=route or None, session=session or None, models=self._models
        )
        return started.data

    def wait(self, run: str) -> Json:
        if self._on_event is None:
            return self._client.wait(run).data
        while True:
            is_moving = self._client.get(run).status in _MOVING
            for event in self._client.events(run, after=self._last.get(run, ""), follow=is_moving):
                self._last[run] = event["id"] or self._last.get(run, "")
                self._on_event(event)
            if (found := self._client.get(run)).status not in _MOVING and not is_moving:
                return found.data

    def tally(self, run: str) -> Tally:
        reading = JournalReading.of(self._client.get(run).data, self._client.journal(run))
        return tally_of(reading.frames.values(), reading.actions.values())

    def state(self, session: str) -> dict[str, Any]:
        return self._client.get_state(session)

    def cancel(self, run: str) -> Json:
        return self._client.cancel(run).data

    def decide(self, gate: Json, decision: Decision) -> Json:
        self._leave_out_the_past(gate["run"])
        return self._client.decide(
            gate["id"],
            decision.word,
            reason=decision.reason,
            arguments=read_arguments(decision.arguments) if decision.arguments else None,
            digest=gate["digest"],
        )

    def undo(self, run: str, *, to: str, replan: bool) -> Json:
        self._leave_out_the_past(run)
        try:
            return self._client.start_undo(run, to=to, replan=replan).data
        except Conflict as error:
            if error.code != "undo_under_way":
                raise
            return self._client.get(run).data

    def resume(self, run: str) -> Json:
        self._leave_out_the_past(run)
        return self._client.resume(run).data

    def retry(self, run: str) -> Json:
        self._leave_out_the_past(run)
        return self._client.retry(run).data

    def fork(self, run: str, *, at: int, state: dict[str, Any]) -> Json:
        return self._client.fork(run, at=at, state=state).data

    def close(self) -> None:
        self._client.close()

    def _leave_out_the_past(self, run: str) -> None:
        """What a run has done before this runner was asked about it is not told."""
        if self._on_event is not None and run not in self._last:
            for event in self._client.events(run, follow=False):
                self._last[run] = event["id"] or self._last.get(run, "")
