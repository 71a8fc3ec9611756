"""A deployed network, used like one in this process: the same methods, over its HTTP API."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote
from uuid import uuid4

from entracte.errors import (
    AmbiguousCommit,
    ConfigurationError,
    Conflict,
    EntracteError,
    Forbidden,
    InvalidInput,
    NotFound,
    RetryableError,
    StaleWrite,
    StoreUnavailable,
    TerminalError,
)
from entracte.runtime.run_result import RunResult

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 4
"""Most attempts of a request that may be sent again, with pauses that grow to 2 s."""

_WAIT_S = 30.0
"""Seconds that one request waits for a run. The server allows 60; proxies on the way may allow less."""

_MOVING = frozenset({"queued", "running"})
"""Status of a run that goes on by itself."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """Part of the list of runs, newest first.

    Attributes:
        next_cursor: Gives the next page; None on the last.
    """

    runs: tuple[RunResult, ...]
    next_cursor: str | None


class Client:
    """A network behind an HTTP API.

    Every method raises the errors that a network in this process would raise, and RetryableError when the service
    cannot be reached.

    Args:
        url: Where the API is, such as ``https://api-xyz.a.run.app``.
        token: Bearer token, or what gives one, asked before each request, since tokens expire. Empty sends none.
        timeout_s: Seconds that one request may take, those that it waits for a run left out.
    """

    def __init__(self, url: str, *, token: str | Callable[[], str] = "", timeout_s: float = 30.0) -> None:
        import httpx  # an author's module that imports Client starts no slower

        if not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"The API's address is {url!r}; expected http://… or https://….")
        self._token = token
        self._timeout_s = timeout_s
        self._http = httpx.Client(base_url=url, timeout=timeout_s)

    def run(
        self,
        message: Any,
        *,
        agent: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Run until there is an answer, or a person is awaited.

        Args:
            message: Text, or a value for agents with an input schema of their own.
        """
        return self.wait(self.start(message, agent=agent, session=session, metadata=metadata).id)

    chat = run

    def start(
        self,
        message: Any,
        *,
        agent: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> RunResult:
        """Start a run in the background.

        Args:
            idempotency_key: Starts one run however often it is sent. A new one by default.
        """
        body = {
            "input": {"message": message} if isinstance(message, str) else message,
            "agent": agent,
            "session": session,
            "metadata": dict(metadata or {}),
        }
        key = {"Idempotency-Key": idempotency_key or uuid4().hex}
        return self._result(self._ask("POST", "/v1/runs", json=body, headers=key, again=True))

    def wait(self, run: str, *, timeout_s: float | None = None) -> RunResult:
        """Wait for a run to end, to need a person, or for the time to pass."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left = _WAIT_S if until is None else max(0.0, until - time.monotonic())
            result = self._read(run, wait_s=min(left, _WAIT_S))
            if result.status not in _MOVING or (until is not None and time.monotonic() >= until):
                return result

    def get(self, run: str) -> RunResult:
        """A run as it is now."""
        return self._read(run, wait_s=0)

    def list(self, *, filters: Mapping[str, str] | None = None, limit: int = 50, cursor: str | None = None) -> RunPage:
        """A page of runs.

        Args:
            filters: ``status``, ``agent``, ``session``, ``metadata.NAME``.
            limit: 1 to 200.
            cursor: `next_cursor` of the page before, with the same filters.
        """
        page = self._ask("GET", "/v1/runs", params={**(filters or {}), "limit": limit, **_cursor(cursor)}, again=True)
        return RunPage(tuple(self._result(run) for run in page["items"]), page["next_cursor"])

    def journal(self, run: str) -> Iterator[Mapping[str, Any]]:
        """Entries of a run's journal, oldest first, up to now."""
        cursor = None
        while True:
            page = self._ask("GET", f"{_run(run)}/journal", params={"limit": 200, **_cursor(cursor)}, again=True)
            yield from page["items"]
            if (cursor := page["next_cursor"]) is None:
                return

    def cancel(self, run: str) -> RunResult:
        """Close a run.

        Raises:
            Conflict: It is closed already.
        """
        return self._result(self._ask("POST", f"{_run(run)}/cancel"))

    def get_state(self, session: str) -> dict[str, Any]:
        """Global state of a session: key → list of ``{"id", "text"}``."""
        return dict(self._ask("GET", _state(session), again=True))

    def load_state(self, session: str, diff: Mapping[str, Any]) -> dict[str, Any]:
        """Change the global state of a session item by item; what was refused is raised as InvalidInput."""
        return dict(self._ask("PATCH", _state(session), json=dict(diff)))

    def reset_state(self, session: str) -> None:
        """Forget the global state of a session."""
        self._ask("DELETE", _state(session))

    def close(self) -> None:
        """Let go of connections. Closing twice is no error."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _read(self, run: str, *, wait_s: float) -> RunResult:
        params = {"wait": f"{wait_s:.3f}"} if wait_s else {}
        return self._result(self._ask("GET", _run(run), params=params, wait_s=wait_s, again=True))

    def _result(self, run: Any) -> RunResult:
        return RunResult(run, self.get_state)

    def _ask(self, method: str, path: str, *, again: bool = False, wait_s: float = 0, **how: Any) -> Any:
        """The JSON that a request is answered with.

        Args:
            again: It may be sent again when the connection fails: it changes nothing, or has an Idempotency-Key.
            wait_s: Seconds that the server may wait before it answers.
        """
        import httpx
        import stamina

        failures = (httpx.ConnectTimeout, httpx.NetworkError, httpx.RemoteProtocolError)
        if token := self._token if isinstance(self._token, str) else self._token():
            how["headers"] = {**how.get("headers", {}), "Authorization": f"Bearer {token}"}
        timeout = httpx.Timeout(self._timeout_s, read=self._timeout_s + wait_s)
        try:
            for attempt in stamina.retry_context(
                on=failures, attempts=ATTEMPTS if again else 1, timeout=None, wait_initial=0.1, wait_max=2.0
            ):
                with attempt:
                    response = self._http.request(method, path, timeout=timeout, **how)
        except httpx.HTTPError as error:
            raise RetryableError(
                f"{method} {self._http.base_url}{path}: no answer ({type(error).__name__}: {error}).",
                remedy="Check the address, and that the API is up.",
                code="unreachable",
            ) from error
        return _answer(response)


def _run(run: str) -> str:
    return f"/v1/runs/{quote(run, safe='')}"


def _state(session: str) -> str:
    return f"/v1/sessions/{quote(session, safe='')}/state"


def _cursor(cursor: str | None) -> dict[str, str]:
    return {"cursor": cursor} if cursor is not None else {}


def _answer(response: httpx.Response) -> Any:
    """What a response says.

    Raises:
        EntracteError: It is a problem, or none of Entracte's answers at all.
    """
    try:
        said = response.json()
    except ValueError:
        said = None
    if response.is_success and said is not None:
        return said
    if isinstance(said, dict) and str(said.get("type", "")).startswith(_TYPE):
        raise _error(response.status_code, said)
    where = f"{response.request.method} {response.request.url}"
    raise _BY_STATUS.get(response.status_code, TerminalError)(
        f"{where} is answered with {response.status_code} {response.reason_phrase}, and not by Entracte.",
        remedy="Check the address and the token.",
        code="bad_answer",
    )


def _error(status: int, problem: Mapping[str, Any]) -> EntracteError:
    """The error that the server had."""
    code = str(problem["type"]).removeprefix(_TYPE)
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, TerminalError)
    return kind(problem["detail"], remedy=problem["remedy"], pointer=problem["pointer"], code=code)


_TYPE = "urn:entracte:"
"""What the type of Entracte's own problems begins with."""

_BY_CODE: Mapping[str, type[EntracteError]] = {
    kind.code: kind for kind in (StaleWrite, AmbiguousCommit, StoreUnavailable)
}

_BY_STATUS: Mapping[int, type[EntracteError]] = {
    401: Forbidden,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: InvalidInput,
    415: InvalidInput,
    422: InvalidInput,
    429: RetryableError,
    502: RetryableError,
    503: RetryableError,
    504: RetryableError,
}
