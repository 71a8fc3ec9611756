"""Refusing what a page of another site has a visitor's browser send.

A browser lends such a page what it has: the way to this machine, or a cookie such as IAP's. Requests with a JSON body
need the door's consent first, which only sites get that are named; requests without a body would not.
https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html#fetch-metadata-headers
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.requests import HTTPConnection

from entracte.errors import Forbidden

_CHANGES_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})


def refuse_cross_site(request: HTTPConnection, sites: Collection[str] = ()) -> None:
    """Refuse a request that may change something and comes from a page of another site.

    Args:
        sites: Origins whose pages may send such requests.

    Raises:
        Forbidden: It does. Programs that are no browsers say nothing of where they come from, and are let through.
    """
    origin = request.headers.get("origin", "")
    if request.scope["method"] in _CHANGES_NOTHING or origin in sites:
        return
    site = request.headers.get("sec-fetch-site", "")
    if site:
        is_own = site in ("same-origin", "none")
    else:  # an old browser, or no browser
        is_own = not origin or origin.partition("://")[2] == request.headers.get("host", "")
    if not is_own:
        raise Forbidden(
            f"A page of {origin[:200] or 'another site'} may not send this.",
            remedy="Name its site in ENTRACTE_CORS_ORIGINS if it is yours.",
            code="cross_site",
        )
