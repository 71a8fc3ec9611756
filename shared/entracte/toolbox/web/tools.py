"""The tools `http_get` and `open_url`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from entracte.agents.tool import Tool, tool
from entracte.core.payload import readable
from entracte.errors import ToolError
from entracte.toolbox.decoding import decoded
from entracte.toolbox.untrusted import UNTRUSTED
from entracte.toolbox.web.fetching import Fetcher, Page
from entracte.toolbox.web.requests import MAX_URL_CHARS

if TYPE_CHECKING:
    from ssl import SSLContext

MAX_CHARS = 100_000
"""Of one result."""

MAX_HEADERS = 40

_KEPT_BACK = frozenset({"set-cookie", "set-cookie2", "www-authenticate", "proxy-authenticate"})
"""Headers that are for browsers, and may be as good as a password."""

_HTML = ("text/html", "application/xhtml+xml")

Url = Annotated[str, Field(min_length=8, max_length=MAX_URL_CHARS, description="Begins with https:// or http://.")]
Headers = Annotated[dict[str, str], Field(max_length=20, description="Request headers, such as Accept. No secrets.")]
FirstChar = Annotated[int, Field(ge=0, description="Where to begin in the text, to read on in a long one.")]
MaxChars = Annotated[int, Field(ge=1, le=MAX_CHARS, description="How much of the text to give.")]


class WebTools:
    """Tools that read the web.

    Attributes:
        http_get, open_url: The tools.
    """

    def __init__(
        self,
        *,
        allow_loopback: bool = False,
        max_bytes: int = 2_000_000,
        timeout_s: float = 20,
        max_redirects: int = 5,
        tls: SSLContext | None = None,
    ) -> None:
        """Connect to nothing yet. See `Fetcher`.

        Args:
            allow_loopback: Pages of this machine may be read too; for tests, never in a deployment.
        """
        fetch = Fetcher(
            allow_loopback=allow_loopback,
            max_bytes=max_bytes,
            timeout_s=timeout_s,
            max_redirects=max_redirects,
            tls=tls,
        )
        self.http_get: Tool = _http_get(fetch)
        self.open_url: Tool = _open_url(fetch)


def _http_get(fetch: Fetcher) -> Tool:
    @tool(
        effect="readonly",
        rule={"class": "readonly"},
        timeout_s=fetch.timeout_s + 10,
        evaluation="The status is 200 and the text is what was asked for; an error page is no answer.",
    )
    def http_get(
        url: Url,
        headers: Headers = {},  # noqa: B006  # copied by pydantic for each call
        first_char: FirstChar = 0,
        max_chars: MaxChars = 20_000,
    ) -> dict[str, Any]:
        """Get what an address of the web answers, as it comes: status, headers and text.

        For data and programming interfaces. To read a page, open it.
        """
        page = fetch(url, headers)
        text = decoded(page.body, page.headers.get("content-type", ""), cut=page.cut)
        shown = {n: readable(v, 300) for n, v in list(page.headers.items())[:MAX_HEADERS] if n not in _KEPT_BACK}
        return _found(page) | {"headers": shown} | _part(text, first_char, max_chars, page.cut)

    return http_get


def _open_url(fetch: Fetcher) -> Tool:
    @tool(
        effect="readonly",
        persist="web_search",
        rule={"class": "readonly"},
        timeout_s=fetch.timeout_s + 20,
        evaluation="The page is about what was looked for and says it; else open another.",
    )
    def open_url(url: Url, first_char: FirstChar = 0, max_chars: MaxChars = 20_000) -> dict[str, Any]:
        """Open a page of the web and read it as Markdown, with its links."""
        from entracte.toolbox.web.markdown import markdown

        page = fetch(url)
        if page.status >= 400:
            raise ToolError(f"{page.url} answered {page.status}.", remedy="Look for the page elsewhere.")
        text, title = decoded(page.body, page.headers.get("content-type", ""), cut=page.cut), ""
        if page.media_type in _HTML or (not page.media_type and text.lstrip()[:1] == "<"):
            title, text = markdown(text, page.url)
        return _found(page) | {"title": title} | _part(text, first_char, max_chars, page.cut)

    return open_url


def _found(page: Page) -> dict[str, Any]:
    return {"url": page.url, "status": page.status, "media_type": page.media_type}


def _part(text: str, first: int, count: int, cut: bool) -> dict[str, Any]:
    """The part of a text that was asked for, marked, and how much there is after it."""
    left = max(0, len(text) - first - count)
    more = f"{left:,} more characters" if left else ""
    if cut:
        more = f"{more or 'no more characters'} of what was read; the rest of the page is too long to be read"
    return {"note": UNTRUSTED, "text": text[first : first + count], "more": more}
