"""Values that authors of hooks vary: requests, replies, calls, results."""

from __future__ import annotations

from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace


class Evolving(Struct, frozen=True):
    """A value that is changed by making another."""

    def evolve(self, **changes: Any) -> Self:
        """The value with some fields changed.

        Raises:
            TypeError: It has no such field.
        """
        return replace(self, **changes)
