"""The bus port: at-least-once messages to the phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from entracte.core.messages import Message


class Bus(Protocol):
    """Carries messages to phases, at least once, in no particular order."""

    def publish(self, messages: Sequence[Message]) -> None:
        """Return once the broker has confirmed every message.

        Raises:
            RetryableError: A message was not confirmed. It may still arrive.
        """
        ...

    def close(self) -> None:
        """Let go of connections and threads. Closing twice is no error."""
        ...
