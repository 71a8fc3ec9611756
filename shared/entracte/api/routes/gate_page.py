"""The page behind a link to a gate: the same for every gate, since only the link's token says what to show."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from importlib import resources

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

router = APIRouter()

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,499}")

_FOLDER = resources.files("entracte.api") / "pages"


@router.get("/gates/{gate_id}", include_in_schema=False)
async def gate_page(gate_id: str) -> HTMLResponse:
    """Decides nothing: mail programs open links to look for harm, and chats to show what is there.

    The page shows a command with the id in it for people to paste, so that the id must not be one itself.
    """
    if not _ID.fullmatch(gate_id):
        raise HTTPException(404)
    return _PAGE


def _page() -> HTMLResponse:
    """The page, allowed to run exactly its own script and to speak with this API only."""
    script, style = ((_FOLDER / name).read_text("utf-8") for name in ("gate.js", "gate.css"))
    html = (_FOLDER / "gate.html").read_text("utf-8").replace("/*STYLE*/", style).replace("/*SCRIPT*/", script)
    page = HTMLResponse(html)
    page.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; connect-src 'self'; "
        "img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    )
    page.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    page.headers["X-Robots-Tag"] = "noindex, nofollow"
    return page


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


_PAGE = _page()
