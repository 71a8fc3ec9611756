"""Lines of the log that Monitoring counts, so that people are told (terraform/modules/alerts/metrics.tf)."""

from __future__ import annotations

import logging
from datetime import datetime

from entracte.core.documents.gate import Gate
from entracte.core.events import Event
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository

log = logging.getLogger("entracte")


class AlertLines:
    """An observer that writes a line when a run has ended, and one when nothing moves a frame any more."""

    deltas = False

    def on_event(self, event: Event) -> None:
        match event.type:
            case "run.ended":
                log.info("run_ended run_id=%s status=%s", event.run_id, event.data["status"])
            case "error" if event.phase == "sweep":  # sweep alone stalls; other phases try again
                log.error("run_stalled run_id=%s frame_id=%s", event.run_id, event.frame_id)
            case _:
                pass


def tell_how_long_gates_wait(repository: Repository, now: datetime) -> None:
    """Write for how many seconds the oldest open gate has waited; 0 where none is open. One read."""
    # One that cannot be read says nothing, rather than stop sweep; sweep's own queries name it.
    found = repository.query(queries.waiting_gates(limit=1), unreadable=[]).documents.values()
    oldest = next((gate.created for gate in found if isinstance(gate, Gate)), now)
    log.info("gates_waiting oldest_s=%d", (now - oldest).total_seconds())
