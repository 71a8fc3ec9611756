"""What is asked of a network, and how."""

from __future__ import annotations

from msgspec import Struct

from entracte.cli.runners.model_choice import NETWORKS_OWN, ModelChoice


class RunRequest(Struct, frozen=True, kw_only=True):
    """A message and what goes with it. Empty texts stand for what the network has by itself.

    Attributes:
        session: Conversation to go on with.
        agent: Agent to start at.
        route: Route of the network's router.
    """

    message: str = ""
    session: str = ""
    agent: str = ""
    route: str = ""
    choice: ModelChoice = NETWORKS_OWN
