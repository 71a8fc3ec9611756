"""What an agent may ask a server for: an address, and headers of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from entracte.errors import ToolError

if TYPE_CHECKING:
    from httpx import URL

MAX_URL_CHARS = 4000

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\t\x20-\x7e]{0,2000}")

_OURS = frozenset(
    "accept-encoding connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split()
)
"""Headers by which connections are kept apart: whoever sets them may say one thing to us and another to the server."""


def checked_url(url: str, *, base: URL | None = None) -> URL:
    """An address of the web, without a fragment.

    Args:
        base: Of the page that redirects there.

    Raises:
        ToolError: It is none, or has a password in it.
    """
    import httpx

    try:
        parsed = base.join(url) if base is not None else httpx.URL(url)
        whole = len(url) <= MAX_URL_CHARS and parsed.scheme in ("http", "https") and bool(parsed.host)
    except (httpx.InvalidURL, ValueError):
        whole = False
    if not whole or parsed.port == 0:
        raise ToolError(
            f"{url[:200]!r} is no address of the web.", remedy="Give one that begins with https:// or http://."
        )
    if parsed.userinfo:
        raise ToolError(f"An address with a user or password in it is not opened: {parsed.host}.")
    return parsed.copy_with(fragment=None)


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """An agent's headers, as they are.

    Raises:
        ToolError: One of them is none, or is not the agent's to set.
    """
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ToolError(f"The header {name[:100]!r} is malformed.")
        if name.lower() in _OURS or name.lower().startswith("proxy-"):
            raise ToolError(f"The header {name!r} cannot be set.")
    return dict(headers)
