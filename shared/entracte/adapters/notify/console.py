"""The log as a notifier: that a gate waits, and how to decide it. What is asked stays out: it may hold anything."""

from __future__ import annotations

import logging

from entracte.ports.notifier import Notice

log = logging.getLogger("entracte")


class ConsoleNotifier:
    """Writes one line."""

    name = "console"

    def reaches_only(self, name: str) -> bool:
        return False

    def notify(self, notice: Notice) -> None:
        event = notice.kind.replace(".", "_")
        log.info("%s run_id=%s gate=%s how=%r link=%s", event, notice.run, notice.gate, notice.how, notice.link)
