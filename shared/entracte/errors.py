"""Every error that Entracte raises.

EntracteError
├── ConfigurationError      the network, a setting or a file is wrong: refuse to start
├── RetryableError          try the delivery again later (the handler nacks)
│   ├── StaleWrite          a document changed since it was read; nothing was written
│   ├── AmbiguousCommit     the store did not say whether it committed
│   ├── StoreUnavailable    the store could not be reached; nothing was written
│   ├── ModelUnavailable    the model's service is overloaded or down
│   ├── ServerUnavailable   an MCP server cannot be reached or does not answer
│   └── RateLimited         the caller has sent too many requests
└── TerminalError           trying again would fail again: record it and go on (the handler acks)
    ├── InvalidInput        a value that the caller sent is not acceptable
    ├── ToolError           a tool says that it did nothing, and why
    ├── ServerRefused       an MCP server answered a request with an error
    ├── Blocked             a hook refused the call, and why
    ├── BudgetExceeded      the run has used what it was given
    ├── ModelRefused        the model's service will not answer this request
    ├── NewerSchema         a document or message was written by a newer version: leave it alone
    ├── CorruptDocument     a stored document does not have the shape that was written
    ├── Conflict            the thing is not in a state that allows this
    ├── NotFound            no such thing, or not visible to the caller
    ├── Forbidden           the caller may not do this
    │   └── Unauthenticated the caller has not proved who they are
    ├── RunFailed           raised by `Run.raise_for_status` for a run that ended without an answer
    └── RunWaiting          raised by `Run.raise_for_status` for a run that waits for a person
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class EntracteError(Exception):
    """What went wrong, where, and what to do about it.

    Attributes:
        message: One sentence that names the thing, what was expected and what was found.
        remedy: What the reader can do now; empty when the message says it all.
        pointer: JSON Pointer (RFC 6901) into the value at fault, or empty.
        code: Stable name of the kind of error, as used in problem+json.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, remedy: str = "", pointer: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.pointer = pointer
        if code:
            self.code = code  # type: ignore[misc]  # an instance may be more precise than its class

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class ConfigurationError(EntracteError):
    """The network, a setting or a file is wrong."""

    code = "configuration"


class RetryableError(EntracteError):
    """Worth another try later; nothing was lost."""

    code = "retryable"


class StaleWrite(RetryableError):
    """A document that the commit relied on has changed. Nothing was written."""

    code = "stale_write"


class AmbiguousCommit(RetryableError):
    """The store did not say whether it committed; only reading back can tell."""

    code = "ambiguous_commit"


class StoreUnavailable(RetryableError):
    """The store could not be reached. Nothing was written."""

    code = "store_unavailable"


class ModelUnavailable(RetryableError):
    """The model's service is overloaded or down.

    Attributes:
        retry_after_s: Seconds that the service asked to wait, or None.
    """

    code = "model_unavailable"

    def __init__(self, message: str, *, remedy: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after_s = retry_after_s


class ServerUnavailable(RetryableError):
    """An MCP server cannot be reached or does not answer."""

    code = "server_unavailable"


class RateLimited(RetryableError):
    """The caller has sent too many requests.

    Attributes:
        retry_after_s: Seconds until the next one is taken.
    """

    code = "rate_limited"

    def __init__(self, message: str, *, remedy: str = "", code: str = "", retry_after_s: int = 1) -> None:
        super().__init__(message, remedy=remedy, code=code)
        self.retry_after_s = retry_after_s


class TerminalError(EntracteError):
    """Trying again would fail again."""

    code = "terminal"


class InvalidInput(TerminalError):
    """A value that the caller sent is not acceptable."""

    code = "invalid_input"


class ToolError(TerminalError):
    """Raised by a tool to say that it did nothing, and why. The agent is told."""

    code = "tool_error"


class ServerRefused(TerminalError):
    """An MCP server answered a request with an error.

    Attributes:
        error: The error as JSON-RPC has it: code, message, and data where there is some.
    """

    code = "server_refused"

    def __init__(self, message: str, *, error: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.error = error


class Blocked(TerminalError):
    """Raised by a hook to refuse a call. The agent is told why and plans around it."""

    code = "blocked"


class BudgetExceeded(TerminalError):
    """The run has used what it was given."""

    code = "budget_exceeded"


class ModelRefused(TerminalError):
    """The model's service will not answer this request: wrong key, unknown model, request too large."""

    code = "model_refused"


class NewerSchema(TerminalError):
    """Written by a newer version of Entracte. The reader leaves it alone; `due` brings it up again."""

    code = "newer_schema"


class CorruptDocument(TerminalError):
    """A stored document does not have the shape that Entracte writes."""

    code = "corrupt_document"


class Conflict(TerminalError):
    """The thing is not in a state that allows this."""

    code = "conflict"


class NotFound(TerminalError):
    """No such thing, or none that the caller may see."""

    code = "not_found"


class Forbidden(TerminalError):
    """The caller may not do this."""

    code = "forbidden"


class Unauthenticated(Forbidden):
    """The caller has not proved who they are."""

    code = "unauthenticated"


class RunFailed(TerminalError):
    """The run ended without an answer."""

    code = "run_failed"


class RunWaiting(TerminalError):
    """The run waits for a person."""

    code = "run_waiting"
