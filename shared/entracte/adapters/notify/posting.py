"""Posting JSON to an address on the public internet: bounded in time and size, to no other place, without redirects."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from entracte.errors import ConfigurationError, RetryableError, TerminalError

if TYPE_CHECKING:
    from ssl import SSLContext

TIMEOUT_S = 10.0
"""For all of it, from connecting to the answer's status."""

MAX_BODY_BYTES = 128 * 1024

_HEADERS = (("Content-Type", "application/json; charset=utf-8"), ("User-Agent", "entracte"))
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})


class Post:
    """Posts to one address.

    Attributes:
        host: For messages. The rest of the address may be as good as a password.
    """

    def __init__(
        self, url: str, *, loopback: bool = False, timeout_s: float = TIMEOUT_S, tls: SSLContext | None = None
    ) -> None:
        """Connect to nothing yet.

        Args:
            url: ``https://…``.
            loopback: This machine will do as well, and there ``http://…``.
            tls: Whom to trust; the usual authorities by default.

        Raises:
            ConfigurationError: Not such an address.
        """
        try:
            parts = urlsplit(url)
            sendable = url.isascii() and url.isprintable() and " " not in url
            well_formed = sendable and bool(parts.hostname) and parts.port != 0
        except ValueError:
            well_formed = False
        if not well_formed or parts.scheme not in (("https", "http") if loopback else ("https",)):
            raise ConfigurationError(
                "ENTRACTE_NOTIFY: the address of a notifier must begin with https:// and name a host.",
                remedy="On your own machine, http:// will do as well with ENTRACTE_NOTIFY_LOOPBACK=true.",
                code="bad_notifier",
            )
        self.host = parts.netloc.rpartition("@")[2]
        self._url, self._timeout_s, self._tls = url, timeout_s, tls
        self._public, self._loopback = parts.scheme == "https", loopback

    def __call__(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send it once. Nothing of the answer but its status is read.

        Raises:
            RetryableError: Out of reach, too slow, or the server asks for another try.
            TerminalError: The server refuses it, it is too large, or the address is none that a notice may go to.
        """
        import httpcore

        from entracte.outbound.connecting import CheckedConnections

        if len(body) > MAX_BODY_BYTES:
            raise TerminalError(f"A notice of {len(body):,} bytes is not sent; at most {MAX_BODY_BYTES:,} are.")
        ends = time.monotonic() + self._timeout_s
        connections = CheckedConnections(ends=ends, public=self._public, loopback=self._loopback)
        sent = [*_HEADERS, *(headers or {}).items()]
        try:
            with (
                httpcore.ConnectionPool(ssl_context=self._tls, network_backend=connections) as pool,
                pool.stream("POST", self._url, headers=sent, content=body) as answer,
            ):
                status = answer.status
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise RetryableError(
                f"{self.host} cannot be reached: {type(error).__name__} {error}".rstrip(), code="notifier_unavailable"
            ) from None
        if 200 <= status < 300:
            return
        if status >= 500 or status in _WORTH_ANOTHER_TRY:
            raise RetryableError(f"{self.host} answered {status}.", code="notifier_unavailable")
        told = " Redirects are not followed." if 300 <= status < 400 else ""
        raise TerminalError(f"{self.host} refused a notice with status {status}.{told}", code="notifier_refused")
