"""One question to a model's HTTP service: bounded in time, tries and size, with errors that say what to do."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from entracte.adapters.models.refusals import Busy, status_error
from entracte.errors import ConfigurationError, ModelRefused, ModelUnavailable

if TYPE_CHECKING:
    import httpx

MAX_REPLY_BYTES = 8 * 1024 * 1024
"""A longer answer is not read to its end."""

MAX_CONNECT_S = 10.0
MAX_BACKOFF_S = 8.0
MAX_JITTER_S = 0.5


class Service:
    """Posts JSON to one address and reads JSON back.

    Attributes:
        host: Where it is, without credentials and query.
        about: Model and host, for messages.
    """

    def __init__(self, url: str, *, model: str, max_retries: int) -> None:
        self.host = _host(url)
        self._url = url
        self.about = f"{model} at {self.host}"
        self._max_retries = max_retries

    def ask(self, body: Mapping[str, Any], *, headers: Mapping[str, str], secret: str, deadline_s: float) -> Any:
        """Post, and post again where the service asks for it and the time allows.

        A service that trickles its answer may take up to twice the deadline: the silence between two pieces is
        bounded, and the deadline is looked at with each piece.

        Args:
            headers: Sent besides the usual ones.
            secret: Never shown, even where the service repeats it; may be empty.

        Raises:
            ModelUnavailable: Overloaded, out of reach, timed out or cut off.
            ModelRefused: The service does not take the request, or what answers is no such service.
        """
        import httpx
        import stamina

        ends = time.monotonic() + deadline_s
        tries = count(1)

        def again(error: Exception) -> float | bool:
            wait_s = _wait_s(error, next(tries)) if isinstance(error, Busy) else None
            return wait_s if wait_s is not None and time.monotonic() + wait_s < ends else False

        retrying = stamina.RetryingCaller(attempts=1 + self._max_retries, timeout=None)
        # A client for each question: it is asked seldom, and an idle connection does not outlive a frozen instance.
        with httpx.Client(headers={"Accept-Encoding": "identity", **headers}) as client:
            return retrying(again, self._post, client, body, secret, ends)

    def _post(self, client: httpx.Client, body: Mapping[str, Any], secret: str, ends: float) -> Any:
        import httpx

        remaining = max(0.001, ends - time.monotonic())
        timeout = httpx.Timeout(remaining, connect=min(MAX_CONNECT_S, remaining))
        try:
            with client.stream("POST", self._url, json=body, timeout=timeout) as response:
                raw = self._read(response, ends)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise Busy(f"{self.about} cannot be reached ({str(error)[:200]}).") from None
        except httpx.TimeoutException:
            raise ModelUnavailable(f"{self.about} did not answer in time.") from None
        except httpx.HTTPError as error:
            raise ModelUnavailable(f"{self.about} cut the connection ({type(error).__name__}).") from None
        if response.status_code != 200:
            raise status_error(self.about, response.status_code, response.headers, raw, secret)
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise ModelRefused(
                f"{self.about} answered with something else than JSON.",
                remedy="Check base_url: it is the address before /chat/completions, mostly ending in /v1.",
            ) from None

    def _read(self, response: httpx.Response, ends: float) -> bytes:
        pieces: list[bytes] = []
        size = 0
        for piece in response.iter_bytes():
            pieces.append(piece)
            size += len(piece)
            if size > MAX_REPLY_BYTES:
                raise ModelRefused(f"{self.about} answered with more than {MAX_REPLY_BYTES:,} bytes.")
            if time.monotonic() > ends:
                raise ModelUnavailable(f"{self.about} did not finish its answer in time.")
        return b"".join(pieces)


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts.netloc.rpartition("@")[2]
    except ValueError:
        pass
    raise ConfigurationError("The base_url of a model must be an http or https address.", code="bad_base_url")


def _wait_s(error: Busy, tries: int) -> float:
    """As long as the service asks for, else up to twice as long each time; never for all waiters alike."""
    if error.retry_after_s is not None:
        return error.retry_after_s + random.uniform(0, MAX_JITTER_S)
    return random.uniform(0, min(MAX_BACKOFF_S, 2.0 ** (tries - 1)))
