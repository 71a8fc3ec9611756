"""Observers see everything and change nothing."""

from __future__ import annotations

from typing import Protocol

from entracte.core.events import Event


class Observer(Protocol):
    """Is told of every event. One that raises is logged and breaks nothing."""

    def on_event(self, event: Event) -> None: ...
