"""Fetching a page that an agent names: from public addresses only, bounded in time, size and redirects.

Each connection is made to an address that was checked, after each redirect anew (`entracte.outbound`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from entracte.errors import RetryableError, TerminalError, ToolError
from entracte.toolbox.web.inflating import Bounded, inflated
from entracte.toolbox.web.requests import checked_headers, checked_url

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx import URL

_REDIRECTS = frozenset({301, 302, 303, 307, 308})

_HEADERS = {
    "User-Agent": "entracte",
    "Accept": "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}

_TEXTUAL = ("json", "xml", "javascript", "ecmascript", "yaml", "toml", "x-www-form-urlencoded", "csv", "markdown")
"""Parts of types outside of ``text/`` that are text all the same."""


class Page(Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        url: Where it was found, after redirects.
        headers: By name in lower case; of several, the last.
        media_type: Such as ``text/html``; empty when the server does not say.
        body: Decompressed, at most as long as the fetcher allows.
        cut: There was more.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    media_type: str
    body: bytes
    cut: bool


class Fetcher(Struct, frozen=True, kw_only=True):
    """Fetches pages of text.

    Attributes:
        allow_loopback: This machine will do as well; for tests.
        max_bytes: Of the body, as it travels and as it is decompressed.
        timeout_s: For all of it, redirects included.
        tls: Whom to trust; the usual authorities by default.
    """

    allow_loopback: bool = False
    max_bytes: int = 2_000_000
    timeout_s: float = 20
    max_redirects: int = 5
    tls: SSLContext | None = None

    def __call__(self, url: str, headers: Mapping[str, str] | None = None) -> Page:
        """Fetch one page.

        Args:
            headers: Sent beside our own, as long as redirects stay on one origin.

        Raises:
            ToolError: The address is none that may be reached, nobody answers in time, or what is there is no text.
        """
        ends = time.monotonic() + self.timeout_s
        at, own = checked_url(url), checked_headers(headers or {})
        for _ in range(self.max_redirects + 1):
            found = self._ask(at, _HEADERS | own, ends)
            if isinstance(found, Page):
                return found
            if (found.scheme, found.host, found.port) != (at.scheme, at.host, at.port):
                own = {}  # what was meant for one server is no other's business
            at = found
        raise ToolError(f"{url} redirects more than {self.max_redirects} times.")

    def _ask(self, url: URL, headers: Mapping[str, str], ends: float) -> Page | URL:
        """The page, or where it has gone."""
        import httpcore

        from entracte.outbound.connecting import CheckedConnections

        connections = CheckedConnections(ends=ends, public=True, loopback=self.allow_loopback)
        asked = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        sent = {"Host": url.netloc.decode("ascii"), **headers}
        try:
            with (
                httpcore.ConnectionPool(ssl_context=self.tls, network_backend=connections) as pool,
                pool.stream("GET", asked, headers=list(sent.items())) as answer,
            ):
                told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers}
                if answer.status in _REDIRECTS and told.get("location"):
                    return checked_url(told["location"], base=url)
                media_type = _text_type(url, told)
                body, cut = self._read(answer.iter_stream(), told.get("content-encoding", ""))
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise ToolError(f"{url.host} cannot be read: {type(error).__name__} {error}".rstrip()) from None
        except ToolError:
            raise
        except (TerminalError, RetryableError) as error:  # of an address
            raise ToolError(error.message, remedy=error.remedy, code=error.code) from None
        if not media_type and b"\0" in body[:1000]:
            raise ToolError(f"{url} is no text.")
        return Page(url=str(url), status=answer.status, headers=told, media_type=media_type, body=body, cut=cut)

    def _read(self, stream: Iterator[bytes], encoding: str) -> tuple[bytes, bool]:
        """The body, and whether there was more."""
        body = bytearray()
        raw = Bounded(stream, self.max_bytes)
        for piece in inflated(raw, encoding):
            body += piece
            if len(body) > self.max_bytes:
                return bytes(body[: self.max_bytes]), True
        return bytes(body), raw.cut


def _text_type(url: URL, headers: Mapping[str, str]) -> str:
    """The type of the answer.

    Raises:
        ToolError: It is not text.
    """
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    main, _, sub = media_type.partition("/")
    if media_type and main != "text" and not any(part in sub for part in _TEXTUAL):
        raise ToolError(f"{url} is {media_type[:100]}, and only text is read.")
    return media_type
