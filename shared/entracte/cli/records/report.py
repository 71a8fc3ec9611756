"""Everything that is kept of a run, read at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from msgspec import Struct

from entracte.cli.records.records import Json, Records
from entracte.cli.records.tally import Tally, tally_of
from entracte.cli.records.undo_row import UndoRow, rows_of_journal
from entracte.core.modelling import Usage
from entracte.errors import NotFound


class Report(Struct, frozen=True, kw_only=True, dict=True):
    """A run with its parts.

    Attributes:
        state: Global state of its session as it is now; other runs may have changed it since.
    """

    run: Json
    frames: tuple[Json, ...]
    actions: tuple[Json, ...]
    gates: tuple[Json, ...]
    journal: tuple[Json, ...]
    state: dict[str, Any]

    @property
    def tally(self) -> Tally:
        return tally_of(self.frames, self.actions)

    @property
    def usage(self) -> Usage:
        """What model calls used so far, those of an open run included."""
        return sum((Usage(**entry["usage"]) for entry in self.journal), Usage())

    def frame(self, id: str) -> Json | None:
        """The frame of that id."""
        return next((frame for frame in self.frames if frame["id"] == id), None)

    def actions_of(self, frame: str, step: int | None = None) -> list[Json]:
        """Calls that a frame made, in one of its steps or in all."""
        return [a for a in self.actions if a["frame"] == frame and step in (None, a["step"])]

    def gates_of(self, action: str) -> list[Json]:
        """Gates that an action has had, the newest last."""
        return [gate for gate in self.gates if gate["action"] == action]

    @cached_property
    def undo(self) -> list[UndoRow]:
        """What the last undo did with each call, newest effect first; empty without one."""
        return rows_of_journal(self.journal, self.actions)

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "run": self.run,
            "frames": list(self.frames),
            "actions": list(self.actions),
            "gates": list(self.gates),
            "journal": list(self.journal),
            "state": self.state,
            "undo": [row.as_json() for row in self.undo],
        }


def read_report(records: Records, run: Json) -> Report:
    """A run with its parts."""
    details = records.details(run["id"])
    return Report(
        run=run,
        frames=details.frames,
        actions=details.actions,
        gates=details.gates,
        journal=details.journal,
        state=_state(records, run["session"]),
    )


def _state(records: Records, session: str) -> dict[str, Any]:
    try:
        return records.state(session)
    except NotFound:  # a session may be deleted before its runs
        return {}
