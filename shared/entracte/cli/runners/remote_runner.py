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

_FIRST_LOOK_S = 1.0
_LONGEST_PAUSE_S = 5.0


class RemoteRunner:
    """Runs over HTTP. What happens is read from the journal now and then, since nothing is pushed."""

    def __init__(self, client: Client, on_event: OnEvent | None) -> None:
        self._client = client
        self._records = RemoteRecords(client)
        self._on_event = on_event
        self._told: set[str] = set()

    @property
    def records(self) -> RemoteRecords:
        return self._records

    def start(self, message: str, *, agent: str, session: str) -> Json:
        return self._client.start(message, agent=agent or None, session=session or None).data

    def wait(self, run: str) -> Json:
        if self._on_event is None:
            return self._client.wait(run).data
        pause_s = _FIRST_LOOK_S
        while True:
            self._tell(run, self._on_event)
            found = self._client.wait(run, timeout_s=pause_s)
            if found.status not in ("queued", "running", "undoing"):
                self._tell(run, self._on_event)
                return found.data
            pause_s = min(pause_s * 1.3, _LONGEST_PAUSE_S)

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
        if self._on_event is not None and not any(id.startswith(run) for id in self._told):
            self._told.update(entry["id"] for entry in self._client.journal(run))

    def _tell(self, run: str, on_event: OnEvent) -> None:
        """Tell what the journal has that was not told yet."""
        for entry in self._client.journal(run):
            if entry["id"] not in self._told:
                self._told.add(entry["id"])
                for event in entry["events"]:
                    on_event(event)
