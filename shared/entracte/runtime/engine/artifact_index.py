"""What is on a desk, read in one round trip."""

from __future__ import annotations

from entracte.core.addresses import artifact_path
from entracte.errors import TerminalError
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Loaded, Repository

MAX_ACTIVE = 50
"""Active artifacts of one shelf that agents are shown, those changed last."""


def active_artifacts(repository: Repository, shelf: str) -> Loaded:
    """The active artifacts of a session or an owner's shelf. One that cannot be read keeps no agent from its work."""
    unreadable: list[TerminalError] = []
    query = queries.active_artifacts(shelf, limit=MAX_ACTIVE)
    loaded = repository.query(query, unreadable=unreadable, whole=False)
    loaded.asked.add(artifact_path(shelf, "").rstrip("/"))
    return loaded
