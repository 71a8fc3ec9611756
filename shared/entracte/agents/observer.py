"""Observers see everything and change nothing."""

from __future__ import annotations

from typing import Protocol

from entracte.core.events import Event


class Observer(Protocol):
    """Is told of every event. One that raises is logged and breaks nothing.

    `model.delta`, text that a model is writing, is told as it comes and not kept. For it models are asked for streams;
    an observer with an attribute ``deltas = False`` is not told, and asks for none. Nobody is told while a hook of the
    network may still change replies (`Hook.after_model`): it would see them too late.
    """

    def on_event(self, event: Event) -> None: ...
