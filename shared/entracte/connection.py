"""A connection to an HTTP API of Entracte: what is asked of it, and the errors that its problems stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from entracte.core.header_value import header_value
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
    Unauthenticated,
)

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 4
"""Most attempts of a request that may be sent again, with pauses that grow to 2 s."""


Token = str | Callable[[], str]


class Connection:
    """Sends requests.

    Args:
        token: Bearer token, or what gives one, asked before each request.
        iam_token: The same for Cloud Run.
        timeout_s: Seconds that one request may take, those that it waits for a run left out.

    Raises:
        ConfigurationError: The address is none of the web, or a token would be sent there unencrypted.
    """

    def __init__(self, url: str, token: Token, timeout_s: float, *, iam_token: Token = "") -> None:
        import httpx  # an author's module that imports Client starts no slower

        if not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"The API's address is {url!r}; expected http://… or https://….")
        _refuse_open_line(url, bool(token or iam_token))
        self._token, self._iam_token = token, iam_token
        self._timeout_s = timeout_s
        self._http = httpx.Client(base_url=url, timeout=timeout_s)

    def close(self) -> None:
        """Let go of it. Closing twice is no error."""
        self._http.close()

    def ask(self, method: str, path: str, *, again: bool = False, wait_s: float = 0, **how: Any) -> Any:
        """The JSON that a request is answered with.

        Args:
            again: It may be sent again when the connection fails: it changes nothing, or has an Idempotency-Key.
            wait_s: Seconds that the server may wait before it answers.
        """
        import httpx
        import stamina

        failures = (httpx.ConnectTimeout, httpx.NetworkError, httpx.RemoteProtocolError)
        how["headers"] = {**how.get("headers", {}), **self._proofs()}
        timeout = httpx.Timeout(self._timeout_s, read=self._timeout_s + wait_s)
        try:
            for attempt in stamina.retry_context(
                on=failures, attempts=ATTEMPTS if again else 1, timeout=None, wait_initial=0.1, wait_max=2.0
            ):
                with attempt:
                    response = self._http.request(method, path, timeout=timeout, **how)
        except httpx.HTTPError as error:
            raise self._unreachable(method, path, error) from error
        return _answer(response)

    @contextmanager
    def streaming(self, path: str, *, headers: Mapping[str, str], silence_s: float) -> Iterator[httpx.Response]:
        """An answer that comes little by little. What breaks off while it is read raises what httpx raises.

        Args:
            silence_s: Seconds without a byte after which the connection counts as dead.
        """
        import httpx

        timeout = httpx.Timeout(self._timeout_s, read=silence_s)
        sent = {**headers, **self._proofs()}
        try:
            opened = self._http.send(self._http.build_request("GET", path, headers=sent, timeout=timeout), stream=True)
        except httpx.HTTPError as error:
            raise self._unreachable("GET", path, error) from error
        try:
            if not opened.is_success:
                opened.read()
                _answer(opened)
            yield opened
        finally:
            opened.close()

    def _unreachable(self, method: str, path: str, error: Exception) -> RetryableError:
        return RetryableError(
            f"{method} {self._http.base_url}{path}: no answer ({type(error).__name__}: {error}).",
            remedy="Check the address, and that the API is up.",
            code="unreachable",
        )

    def _proofs(self) -> dict[str, str]:
        """Headers that say who asks: for Entracte, and for Cloud Run before it, which leaves the former alone then."""
        tokens = {"Authorization": self._token, "X-Serverless-Authorization": self._iam_token}
        given = {name: token if isinstance(token, str) else token() for name, token in tokens.items()}
        return {name: f"Bearer {header_value(token, of='The token')}" for name, token in given.items() if token}


def _refuse_open_line(url: str, secret: bool) -> None:
    """Refuse to send a token where others on the way can read it.

    Raises:
        ConfigurationError: The address is neither https nor of this machine.
    """
    host = urlsplit(url).hostname or ""
    here = host == "localhost" or host.startswith("127.") or host == "::1"
    if secret and not here and url.startswith("http://"):
        raise ConfigurationError(f"A token would be sent to {host} for all to read.", remedy="Use https://.")


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
    remedy = "Check the address and the token."
    if response.status_code in (401, 403):
        remedy = "If Cloud Run asks who may reach the API, give the token for it as iam_token (ENTRACTE_IAM_TOKEN)."
    raise _BY_STATUS.get(response.status_code, TerminalError)(
        f"{where} is answered with {response.status_code} {response.reason_phrase}, and not by Entracte.",
        remedy=remedy,
        code="bad_answer",
    )


def _error(status: int, problem: Mapping[str, Any]) -> EntracteError:
    """The error that the server had."""
    code = str(problem["type"]).removeprefix(_TYPE)
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, TerminalError)
    remedy = _GIVE_TOKEN if code == Unauthenticated.code else problem["remedy"]
    return kind(problem["detail"], remedy=remedy, pointer=problem["pointer"], code=code)


_GIVE_TOKEN = "Give one as Client(token=…); at the command line as --token or in ENTRACTE_TOKEN."

_TYPE = "urn:entracte:"
"""What the type of Entracte's own problems begins with."""

_BY_CODE: Mapping[str, type[EntracteError]] = {
    kind.code: kind for kind in (StaleWrite, AmbiguousCommit, StoreUnavailable)
}

_BY_STATUS: Mapping[int, type[EntracteError]] = {
    401: Unauthenticated,
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
