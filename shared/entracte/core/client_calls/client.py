"""Who asks for the calls of a gateway run, and how long it is waited for."""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol

CLIENT = "mcp client"
"""Stands for the agent of frames whose calls an MCP client asks for. No agent of a network can be called so: names of
agents have no blanks."""

SESSIONS = "mcp-"
"""How the ids of sessions begin that belong to calls over HTTP. They are made of what others may know, so that nobody
else may begin a session under such a name (`entracte.runtime.services.runs`)."""

IDLE = timedelta(minutes=30)
"""A client that has asked for nothing this long has left; what it asks for later is another run."""

GRANT_LASTS = timedelta(hours=1)
"""How long an approved call is kept for the client to ask again, and how long a denial answers equal calls."""

MAX_CALLS = 1000
"""Calls of one run. The next one begins another, so that a run can still be shown and taken back as one."""


class _HasAgent(Protocol):
    @property
    def agent(self) -> str: ...


def is_clients(document: _HasAgent) -> bool:
    """Whether a frame or action is an MCP client's, and not an agent's."""
    return document.agent == CLIENT
