"""The secrets port."""

from __future__ import annotations

from typing import Protocol


class Secrets(Protocol):
    """Gives secrets by name, when they are needed and not before."""

    def get(self, name: str) -> str:
        """The secret's current value.

        Raises:
            ConfigurationError: There is no such secret; names it and says where it was looked for.
        """
        ...
