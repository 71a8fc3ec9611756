"""Why a request has no result: what the server said, or what became of the way there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Kind = Literal["refused", "not_sent", "turned_away", "session_over", "lost", "timeout"]
"""``refused``: the server's own error. ``not_sent``, ``turned_away``, ``session_over``: the request was not looked at;
with the last, a new session is called for. ``lost``, ``timeout``: nobody knows what became of it."""

OWN_CODES: Mapping[Kind, int] = {"not_sent": -32901, "turned_away": -32902, "session_over": -32903, "lost": -32904}
"""JSON-RPC codes of our own, by which the HTTP side tells the kind of a fault through the SDK."""

_KINDS = {code: kind for kind, code in OWN_CODES.items()}

_CONNECTION_CLOSED, _REQUEST_TIMEOUT, _INVALID_REQUEST, _PARSE_ERROR = -32000, -32001, -32600, -32700

_SDKS_OWN: Mapping[int, tuple[str, ...]] = {
    _CONNECTION_CLOSED: ("Connection closed", "SSE stream "),
    _INVALID_REQUEST: ("server answered a request with 202", "Unexpected content type", "Redirect to "),
    _PARSE_ERROR: ("Failed to parse ",),
}
"""How messages begin that the SDK makes when no answer comes, or none that can be read. Servers use these codes too."""


class RequestFault(Exception):
    """A request without a result.

    Attributes:
        error: As JSON-RPC has it: code, message, and data where there is some.
    """

    def __init__(self, kind: Kind, error: Mapping[str, Any]) -> None:
        super().__init__(str(error["message"]))
        self.kind = kind
        self.error = error

    @property
    def message(self) -> str:
        return str(self.error["message"])


def fault_of(error: Mapping[str, Any]) -> RequestFault:
    """The fault that a JSON-RPC error stands for, which may be the SDK's or our own."""
    return RequestFault(_kind(int(error["code"]), str(error["message"])), error)


def _kind(code: int, message: str) -> Kind:
    if code in _KINDS:
        return _KINDS[code]
    if code == _REQUEST_TIMEOUT and message.startswith("Request ") and message.endswith(" timed out"):
        return "timeout"
    return "lost" if message.startswith(_SDKS_OWN.get(code, ())) else "refused"
