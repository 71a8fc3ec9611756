"""Server-sent events as text (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MEDIA_TYPE = "text/event-stream"

HEARTBEAT = ": still here\n\n"
"""A comment, which readers pass over: it keeps proxies from closing the connection, and tells a dead one."""


def sse_event(event: Mapping[str, Any], *, id: str | None) -> str:
    """An event; without an id where it is not kept, so that nobody goes on from it."""
    name = f"id: {id}\n" if id is not None else ""
    return f"event: {event['type']}\n{name}data: {json.dumps(event, ensure_ascii=False)}\n\n"  # JSON has no line breaks


def sse_retry(after_s: float) -> str:
    """How long to wait before connecting again."""
    return f"retry: {int(after_s * 1000)}\n\n"
