"""Reading what is being written in a run: each piece once, as far as one that looks now and then can tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from entracte.core.documents.live import Live
from entracte.core.events import delta_event
from entracte.core.modelling import Delta
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository

MAX_FRAMES = 50
"""Frames that may write at the same time, as far as watchers are told."""


class LiveReading:
    """The pieces of text that come in the frames of a run."""

    def __init__(self, repository: Repository, run: str) -> None:
        self._repository = repository
        self._run = run
        self._told: dict[str, tuple[str, dict[str, int]]] = {}  # by frame: which reply, and how much of it

    def read(self) -> tuple[dict[str, Any], ...]:
        """`model.delta` events, as JSON, of what was written since the last look."""
        found = self._repository.query(queries.live_of(self._run, limit=MAX_FRAMES), unreadable=[]).documents.values()
        return tuple(event for live in found if isinstance(live, Live) for event in self._pieces(live))

    def _pieces(self, live: Live) -> Iterator[dict[str, Any]]:
        reply, told = self._told.get(live.frame, ("", {}))
        if reply != live.reply:
            told = {}
        kinds: tuple[tuple[Literal["thought", "text"], str, int], ...] = (
            ("thought", live.thought, live.thought_chars),
            ("text", live.text, live.text_chars),
        )
        for kind, text, chars in kinds:
            if (more := chars - told.get(kind, 0)) > 0:
                yield delta_event(live, Delta(kind, text[-more:])).as_json()
        self._told[live.frame] = live.reply, {kind: chars for kind, _, chars in kinds}
