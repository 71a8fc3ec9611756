"""Routes of the service itself: that it is up, and the page that shows its description."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from fastapi import APIRouter
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse, RedirectResponse

from entracte.api.routes.described import answer_of

router = APIRouter(tags=["service"])

_CDN = "https://cdn.jsdelivr.net"


@router.get("/healthz", summary="Say that the API is up", responses={200: answer_of("HealthAnswer", "It is.")})
@router.get("/health", include_in_schema=False)
async def health() -> dict[str, str]:
    """Reads nothing, so that it says something of this process only.

    ``/health`` is the same: Cloud Run keeps paths that end in z for itself
    (https://cloud.google.com/run/docs/known-issues#reserved-urls-paths).
    """
    return {"status": "ok"}


@router.get("/", include_in_schema=False)
async def to_docs() -> RedirectResponse:
    """A person who opens the address in a browser wants to read."""
    return RedirectResponse("/docs")


@router.get("/docs", include_in_schema=False)
async def docs() -> HTMLResponse:
    """Swagger UI over /openapi.json."""
    return _PAGE


def _page() -> HTMLResponse:
    """The page, allowed to run exactly its own script and to load Swagger UI from its CDN."""
    page = get_swagger_ui_html(openapi_url="/openapi.json", title="Entracte API", swagger_favicon_url="data:,")
    script = re.search(rb"<script>(.*?)</script>", bytes(page.body), re.DOTALL)
    own = f" 'sha256-{b64encode(sha256(script[1]).digest()).decode()}'" if script is not None else ""
    page.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {_CDN}{own}; style-src {_CDN} 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
    return page


_PAGE = _page()
