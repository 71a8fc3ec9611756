"""What commands read: runs that have been made, on this machine or behind an API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from entracte.cli.records.recollections import Recollections
    from entracte.cli.records.upkeep import Upkeep
    from entracte.desk import Desk

Json = Mapping[str, Any]
"""A JSON object, of a shape that `entracte.runtime.services.rendering` gives."""


class RunPage(Struct, frozen=True):
    """Part of the list of runs.

    Attributes:
        after: What the next page is asked for with; empty on the last.
    """

    runs: tuple[Json, ...]
    after: str


class Details(Struct, frozen=True, kw_only=True):
    """What is kept of a run besides the run itself.

    Attributes:
        actions: In the order in which they were proposed.
        gates, journal: Oldest first.
    """

    frames: tuple[Json, ...]
    actions: tuple[Json, ...]
    gates: tuple[Json, ...]
    journal: tuple[Json, ...]


class Records(Protocol):
    """Runs as they are kept. Nothing here brings a run forward.

    Every method raises NotFound for what does not exist or belongs to somebody else.
    """

    def find(self, reference: str) -> Json:
        """The run of that id, or the only one whose id begins so; the newest for an empty reference."""
        ...

    def page(self, filters: Mapping[str, str], *, limit: int, after: str) -> RunPage:
        """Runs, newest first."""
        ...

    def journal(self, run: str) -> Iterator[Json]:
        """All entries of a run, oldest first."""
        ...

    def details(self, run: str) -> Details:
        """Everything else that is kept of a run."""
        ...

    def gates(self, *, run: str = "", status: str = "") -> tuple[Json, ...]:
        """Gates that this person may decide or has asked for, the newest last.

        Args:
            run: Whole id; only the gates of that run.
            status: Only gates of that status.
        """
        ...

    def state(self, session: str) -> dict[str, Any]:
        """Global state of a session."""
        ...

    def cancel(self, run: str) -> Json:
        """Close a run; Conflict when it is closed already."""
        ...

    def desk(self, session: str) -> Desk:
        """The artifacts of a session."""
        ...

    def export(self, session: str) -> Json:
        """Everything that a session holds."""
        ...

    def load(self, data: Json, session: str) -> str:
        """Make a session of what was exported. Gives its id.

        Args:
            session: Its id; one is made up by default.
        """
        ...

    def memories(self) -> Recollections:
        """What is remembered of this person."""
        ...

    def upkeep(self) -> Upkeep:
        """What operators do."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
