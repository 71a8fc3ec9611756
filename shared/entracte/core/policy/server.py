"""MCP servers that the manifest names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandServer:
    """A server that is started, and speaks MCP on its standard streams.

    Attributes:
        env: Added to the environment of the command, as written: ``${NAME}`` is a secret, read when it is needed.
            May hold secrets all the same, so it is not shown.
    """

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlServer:
    """A server that is reached over streamable HTTP.

    Attributes:
        headers: Sent with each request, as written: see `CommandServer.env`.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


Server = CommandServer | UrlServer
