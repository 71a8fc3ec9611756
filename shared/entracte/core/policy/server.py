"""MCP servers that the manifest names."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class CommandServer(Struct, frozen=True, kw_only=True):
    """A server that is started, and speaks MCP on its standard streams.

    Attributes:
        env: Added to the environment of the command, as written: ``${NAME}`` is a secret, read when it is needed.
            May hold secrets all the same, so it is not shown.
    """

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"CommandServer({self.command!r}, …)"


class UrlServer(Struct, frozen=True, kw_only=True):
    """A server that is reached over streamable HTTP.

    Attributes:
        headers: Sent with each request, as written: see `CommandServer.env`.
    """

    url: str
    headers: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return "UrlServer(…)"


Server = CommandServer | UrlServer
