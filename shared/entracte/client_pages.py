"""Pages of the lists that a client reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from entracte.runtime.services.run_result import RunResult


class GatePage(Struct, frozen=True):
    """Part of a list of gates.

    Attributes:
        gates: As JSON, as the API gives them.
        next_cursor: Gives the next page; None on the last.
        unreadable: How many were left out of the page, since they cannot be read.
    """

    gates: tuple[Mapping[str, Any], ...]
    next_cursor: str | None
    unreadable: int = 0


class RunPage(Struct, frozen=True):
    """Part of the list of runs, newest first.

    Attributes:
        next_cursor: Gives the next page; None on the last.
        unreadable: How many were left out of the page, since they cannot be read.
    """

    runs: tuple[RunResult, ...]
    next_cursor: str | None
    unreadable: int = 0
