"""Runs behind an API."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from entracte.cli.records.journal_reading import JournalReading
from entracte.cli.records.records import Details, Json, RunPage
from entracte.client import Client
from entracte.errors import ConfigurationError, NotFound
from entracte.operations import Operations
from entracte.own_memories import OwnMemories
from entracte.session_artifacts import SessionArtifacts

log = logging.getLogger("entracte")

_ID_CHARS = 20
"""Length of a whole run id."""

_PAGE = 200

MAX_GATES = 1000
"""Latest gates that are listed."""

_SEARCHED = 200
"""Latest runs among which the beginning of an id is looked for."""


class RemoteRecords:
    """Records over HTTP. What the API does not give, it reads from the journal."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def find(self, reference: str) -> Json:
        if len(reference) >= _ID_CHARS:
            return self._client.get(reference).data
        latest = self._client.list(limit=_SEARCHED if reference else 1).runs
        found = [run for run in latest if run.id.startswith(reference)]
        if not latest:
            raise NotFound("There is no run yet.", code="run_not_found")
        if len(found) != 1:
            what = "More than one run's id begins" if found else "No run's id begins"
            raise NotFound(f"{what} with {reference!r}.", code="run_not_found")
        return found[0].data

    def page(self, filters: Mapping[str, str], *, limit: int, after: str) -> RunPage:
        page = self._client.list(filters=filters, limit=limit, cursor=after or None)
        _say_left_out(page.unreadable)
        return RunPage(tuple(run.data for run in page.runs), page.next_cursor or "")

    def journal(self, run: str) -> Iterator[Json]:
        return self._client.journal(run)

    def details(self, run: str) -> Details:
        journal = tuple(self._client.journal(run))
        reading = JournalReading.of(self._client.get(run).data, journal)
        return Details(
            frames=tuple(reading.frames.values()),
            actions=tuple(reading.actions.values()),
            gates=self.gates(run=run),
            journal=journal,
        )

    def gates(self, *, run: str = "", status: str = "") -> tuple[Json, ...]:
        found = list(self._gates(run=run, status=status))
        if not run and status in ("", "waiting"):
            found += self._gates(to_decide=True)
        wanted = {gate["id"]: gate for gate in found}
        return tuple(sorted(wanted.values(), key=lambda gate: (gate["created"], gate["id"])))

    def _gates(self, *, run: str = "", status: str = "", to_decide: bool = False) -> Iterator[Json]:
        """The latest gates; those of a run, all of them."""
        cursor = None
        for _ in range(MAX_GATES // _PAGE):
            page = self._client.gates(run=run, status=status, to_decide=to_decide, limit=_PAGE, cursor=cursor)
            _say_left_out(page.unreadable)
            yield from page.gates
            if (cursor := page.next_cursor) is None:
                return

    def state(self, session: str) -> dict[str, Any]:
        return self._client.get_state(session)

    def cancel(self, run: str) -> Json:
        return self._client.cancel(run).data

    def desk(self, session: str) -> SessionArtifacts:
        return self._client.artifacts(session)

    def export(self, session: str) -> Json:
        return self._client.export_session(session)

    def load(self, data: Json, session: str) -> str:
        raise ConfigurationError("Sessions are loaded into a store of this machine.", remedy="Leave --url out.")

    def memories(self) -> OwnMemories:
        return self._client.memories

    def upkeep(self) -> Operations:
        return self._client.operations

    def close(self) -> None:
        self._client.close()


def _say_left_out(unreadable: int) -> None:
    """As a list of this machine says which they are: the service has that in its log."""
    if unreadable:
        log.warning("list_left_out unreadable=%s: the log of the service names them", unreadable)
