"""The embedder port: texts as vectors, for memory that finds what is meant rather than what is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """An embedding model behind some service.

    Where a network names none (``Models(embed=…)``), there is no embedder, and who searches goes by words instead.
    """

    def embed(self, texts: Sequence[str], *, deadline_s: float) -> list[tuple[float, ...]]:
        """A vector for each text, in order and all of one length.

        Args:
            texts: None of them blank. Any number: the adapter asks in as many requests as its service wants.
            deadline_s: Seconds that all of it may take, retries included.

        Raises:
            ModelUnavailable: Overloaded, down, timed out or cut off: worth another try later.
            ModelRefused: Wrong key, unknown model, a text too long: trying again would fail again.
        """
        ...
