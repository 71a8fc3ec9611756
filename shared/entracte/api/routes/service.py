"""Routes of the service itself: that it is up, and the page that shows its description."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib import resources

from fastapi import APIRouter
from starlette.requests import Request
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
def docs(request: Request) -> HTMLResponse:
    """Swagger UI over /openapi.json; a list of the routes where its CDN cannot be reached."""
    routes = "\n".join(
        f"<dt><code>{method.upper()} {escape(path)}</code></dt><dd>{escape(route.get('summary', ''))}</dd>"
        for path, methods in request.app.openapi()["paths"].items()
        for method, route in methods.items()
    )
    return HTMLResponse(_PAGE.replace("<!--ROUTES-->", routes), headers={"Content-Security-Policy": _POLICY})


def _policy(page: str) -> str:
    """The page may run exactly its own script, and what it loads from the CDN, which it names by hash."""
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return (
        f"default-src 'none'; script-src {_CDN} 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'; "
        f"style-src {_CDN} 'unsafe-inline'; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    )


_PAGE = (resources.files("entracte.api") / "pages" / "docs.html").read_text("utf-8")
_POLICY = _policy(_PAGE)
