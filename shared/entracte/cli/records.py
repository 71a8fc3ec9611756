"""What commands read: runs that have been made, on this machine or behind an API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Json = Mapping[str, Any]
"""A JSON object, of a shape that `entracte.runtime.rendering` gives."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """Part of the list of runs.

    Attributes:
        after: What the next page is asked for with; empty on the last.
    """

    runs: tuple[Json, ...]
    after: str


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

    def frames(self, run: str) -> list[Json]:
        """The frames of a run."""
        ...

    def actions(self, run: str) -> list[Json]:
        """The actions of a run in the order in which they were proposed."""
        ...

    def state(self, session: str) -> dict[str, Any]:
        """Global state of a session."""
        ...

    def cancel(self, run: str) -> Json:
        """Close a run; Conflict when it is closed already."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
