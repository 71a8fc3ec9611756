"""Telling observers, whatever they make of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from entracte.agents.observer import Observer
from entracte.core.events import Event

log = logging.getLogger("entracte")


class Observers:
    """Passes every event to every observer. One that raises is logged and breaks nothing."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    @property
    def want_deltas(self) -> bool:
        """Whether any of them wants to be told what a model writes while it writes."""
        return any(_wants_deltas(observer) for observer in self._observers)

    def __call__(self, event: Event) -> None:
        for observer in self._observers:
            if event.type == "model.delta" and not _wants_deltas(observer):
                continue
            try:
                observer.on_event(event)
            except Exception:
                log.exception("observer_failed type=%s run_id=%s", event.type, event.run_id)


def _wants_deltas(observer: Observer) -> bool:
    return bool(getattr(observer, "deltas", True))
