"""One question to a model's HTTP service: bounded in time, tries and size, with errors that say what to do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from entracte.adapters.models.refusals import Absent, Busy, status_error
from entracte.adapters.models.retrying import ask_again
from entracte.adapters.models.server_events import json_events
from entracte.errors import ConfigurationError, ModelRefused, ModelUnavailable

if TYPE_CHECKING:
    import ssl

    import httpx

MAX_REPLY_BYTES = 8 * 1024 * 1024
"""A longer answer is not read to its end."""

MAX_CONNECT_S = 10.0

OnEvent = Callable[[Any], None]

_END = object()


@cache
def tls() -> ssl.SSLContext:
    """Trusted authorities, read once a process: reading them takes longer than many a question's way."""
    import httpx

    return httpx.create_ssl_context()


class Service:
    """Posts JSON to one address and reads JSON back.

    Attributes:
        host: Where it is, without credentials and query.
        about: Model and host, for messages.
    """

    def __init__(self, url: str, *, model: str, max_retries: int) -> None:
        self.host = host_of(url)
        self._is_local = _is_loopback(urlsplit(url).hostname or "")
        self._url = url
        self.about = f"{model} at {self.host}"
        self._max_retries = max_retries

    def ask(
        self,
        body: Mapping[str, Any],
        *,
        headers: Mapping[str, str],
        secret: str,
        deadline_s: float,
        url: str = "",
        on_event: OnEvent | None = None,
    ) -> Any:
        """Post, and post again where the service asks for it and the time allows.

        A service that trickles its answer may take up to twice the deadline: the silence between two pieces is
        bounded, and the deadline is looked at with each piece.

        Args:
            headers: Sent besides the usual ones.
            secret: Never shown, even where the service repeats it; may be empty.
            url: Instead of the service's own address.
            on_event: Is given the JSON of each server-sent event; then None is returned. What it raises ends the
                stream. A service that does not stream, though asked to, answers as ever.

        Raises:
            ModelUnavailable: Overloaded, out of reach, timed out or cut off.
            ModelRefused: The service does not take the request, what answers is no such service, or nothing answers on
                this machine.
        """
        import httpx

        # A client for each question: it is asked seldom, and an idle connection does not outlive a frozen instance.
        with httpx.Client(headers={"Accept-Encoding": "identity", **headers}, verify=tls()) as client:

            def post(ends: float) -> Any:
                with self._answered(client, url or self._url, body, secret, ends) as response:
                    if on_event is not None and "event-stream" in response.headers.get("content-type", ""):
                        return self._hear(response, ends, on_event)
                    with self._faults_named():
                        raw = b"".join(self._pieces(response, ends))
                return self._json(raw)

            try:
                return ask_again(post, deadline_s=deadline_s, max_retries=self._max_retries)
            except Absent as error:
                # Nobody would wait for hours for a server of their own to be started.
                raise ModelRefused(error.message, remedy="Is it running? Start it, or check base_url.") from None

    @contextmanager
    def _answered(
        self, client: httpx.Client, url: str, body: Mapping[str, Any], secret: str, ends: float
    ) -> Iterator[httpx.Response]:
        """The response, once its status says that there is an answer to read."""
        import httpx

        remaining = max(0.001, ends - time.monotonic())
        timeout = httpx.Timeout(remaining, connect=min(MAX_CONNECT_S, remaining))
        sending = client.build_request("POST", url, json=body, timeout=timeout)
        with self._faults_named():
            response = client.send(sending, stream=True)
        try:
            if response.status_code != 200:
                with self._faults_named():
                    raw = b"".join(self._pieces(response, ends))
                raise status_error(self.about, response.status_code, response.headers, raw, secret)
            yield response
        finally:
            response.close()  # in the middle of a stream, too: so the service hears that nobody listens

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        """What the HTTP library raises, as the errors of the model port."""
        import httpx

        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if self._is_local and isinstance(error, httpx.ConnectError):
                raise Absent(f"Nothing answers for {self.about} ({str(error)[:200]}).") from None
            raise Busy(f"{self.about} cannot be reached ({str(error)[:200]}).") from None
        except httpx.TimeoutException:
            raise ModelUnavailable(f"{self.about} did not answer in time.") from None
        except httpx.HTTPError as error:
            raise ModelUnavailable(f"{self.about} cut the connection ({type(error).__name__}).") from None

    def _hear(self, response: httpx.Response, ends: float, on_event: OnEvent) -> None:
        events = json_events(self._pieces(response, ends))
        while True:
            try:
                with self._faults_named():
                    event = next(events, _END)
            except ValueError:
                raise ModelUnavailable(f"{self.about} sent an event that is not JSON.") from None
            if event is _END:
                return
            on_event(event)

    def _pieces(self, response: httpx.Response, ends: float) -> Iterator[bytes]:
        size = 0
        for piece in response.iter_bytes():
            size += len(piece)
            if size > MAX_REPLY_BYTES:
                raise ModelRefused(f"{self.about} answered with more than {MAX_REPLY_BYTES:,} bytes.")
            yield piece
            if time.monotonic() > ends:
                raise ModelUnavailable(f"{self.about} did not finish its answer in time.")

    def _json(self, raw: bytes) -> Any:
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise ModelRefused(
                f"{self.about} answered with something else than JSON.",
                remedy="Check base_url: it is the address before /chat/completions, mostly ending in /v1.",
            ) from None


def host_of(url: str) -> str:
    """Where an address leads, without credentials and query.

    Raises:
        ConfigurationError: It is no http or https address.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts.netloc.rpartition("@")[2]
    except ValueError:
        pass
    raise ConfigurationError("The base_url of a model must be an http or https address.", code="bad_base_url")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
