"""A bus that keeps what is published until a test delivers it."""

from __future__ import annotations

from collections.abc import Sequence

from entracte.core.messages import Message


class HeldBus:
    """Bus port for tests: messages lie in `waiting`, oldest first, and in `published`, for ever."""

    def __init__(self) -> None:
        self.waiting: list[Message] = []
        self.published: list[Message] = []

    def publish(self, messages: Sequence[Message]) -> None:
        self.waiting += messages
        self.published += messages

    def close(self) -> None:
        """Nothing to let go of."""
