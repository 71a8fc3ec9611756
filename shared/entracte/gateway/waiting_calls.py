"""Calls while their clients wait for them: what is reported on the way goes to the client that asked."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from entracte.core.calls import Call
from entracte.core.client_calls.opening import Client
from entracte.errors import NotFound
from entracte.gateway.answering import Command, Result, answer
from entracte.gateway.names import Names
from entracte.ports.servers import Servers
from entracte.runtime.services.client_calls import Answered, ClientCalls

log = logging.getLogger("entracte")

Report = Callable[[float, float | None, str | None], object]
"""Tells a client how far its call has come: so far, of how much, in words. Never waits."""


class WaitingCalls:
    """Makes calls, and knows for whom.

    Args:
        command: Makes the commands that clients are told.
    """

    def __init__(self, calls: ClientCalls, servers: Servers, names: Names, command: Command) -> None:
        self._calls = calls
        self._servers = servers
        self._names = names
        self._command = command
        self._reports: dict[str, Report] = {}  # by action
        servers.on_progress = self._on_progress

    def call(self, client: Client, name: str, arguments: Mapping[str, Any], report: Report, begun: list[str]) -> Result:
        """One call of a tool, by the name that the client knows it by.

        Args:
            begun: Is filled with the keys of what was begun, for `give_up`.

        Raises:
            NotFound, InvalidInput, RetryableError: As `ClientCalls.call` says.
        """

        def begin(action: str) -> None:
            begun.append(action)
            self._reports[action] = report

        began = time.monotonic()
        try:
            answered = self._calls.call(client, self._names.tool(name), arguments, begin)
            _log(answered, int((time.monotonic() - began) * 1000))
            return answer(answered, self._command)
        except NotFound as error:
            raise NotFound(f"There is no tool {name[:200]!r}.", code=error.code) from None
        finally:
            for action in begun:
                self._reports.pop(action, None)

    def give_up(self, begun: Sequence[str]) -> None:
        """The client has cancelled its call. What may change something goes on: half of it would be worse."""
        for key in begun:
            self._servers.give_up(key)

    def _on_progress(self, call: Call, progress: float, total: float | None, message: str | None) -> None:
        """Snapshots and inverses have keys of their own: the client has not asked for them."""
        if (report := self._reports.get(call.idempotency_key)) is not None:
            report(progress, total, message)


def _log(answered: Answered, took_ms: int) -> None:
    action = answered.action
    status = answered.outcome.ending if answered.outcome is not None else action.status
    log.info(
        "client_call_answered run_id=%s action=%s tool=%s answer=%s status=%s duration_ms=%s",
        action.run,
        action.id,
        action.tool,
        answered.answer,
        status,
        took_ms,
    )
