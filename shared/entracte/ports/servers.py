"""The port to servers that offer tools by the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from entracte.core.calls import Call, ServerAnswer

OnProgress = Callable[[Call, float, float | None, str | None], object]


class Servers(Protocol):
    """The MCP servers of a policy manifest, by their names. They are connected to when they are first needed.

    Attributes:
        on_progress: Is told what calls report on the way as numbers: how far, of how much, and in words. It runs in the
            servers' own thread, and must not keep it waiting.
    """

    on_progress: OnProgress

    def call(self, call: Call, *, readonly: bool, report: Callable[[str], object]) -> ServerAnswer:
        """Make one call. A call that may have reached its server is never sent again, unless it is `readonly`.

        Args:
            call: Its tool is ``server.tool``.
            report: Is told what the tool reports on the way.

        Raises:
            ToolError: The call was not made: the server could not be reached or refused it. Nothing happened.
            TimeoutError, ConnectionError: The server did not answer: nobody knows what it did.
        """
        ...

    def give_up(self, idempotency_key: str) -> None:
        """Nobody wants the result of that call any more: break it off, unless it may change something. Never waits."""
        ...

    def about(self, server: str) -> Mapping[str, Any]:
        """What a server says of itself: ``capabilities``, ``serverInfo``, ``instructions``, as far as it does.

        Raises:
            ServerUnavailable: It cannot be reached, or does not speak the protocol; says why.
        """
        ...

    def list_tools(self, server: str) -> tuple[Mapping[str, Any], ...]:
        """What tools a server offers, each as the server describes it.

        Raises:
            ServerUnavailable: It cannot be reached, or does not speak the protocol; says why.
        """
        ...

    def request(self, server: str, method: str, params: Mapping[str, Any], *, timeout_s: float) -> Mapping[str, Any]:
        """Make any other request of the protocol, such as ``resources/read``, and give its result as it comes.

        Raises:
            ServerRefused: The server answers with an error; has its code.
            ServerUnavailable: It cannot be reached, or does not answer.
        """
        ...

    def close(self) -> None:
        """End all connections, and the servers that were started. Closing twice is no error."""
        ...
