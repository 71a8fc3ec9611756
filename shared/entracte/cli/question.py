"""What is asked of a network, and how."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A message and what goes with it. Empty texts stand for what the network has by itself.

    Attributes:
        session: Conversation to go on with.
        agent: Agent to start at.
        model, base_url: In place of the network's models.
    """

    message: str = ""
    session: str = ""
    agent: str = ""
    model: str = ""
    base_url: str = ""
