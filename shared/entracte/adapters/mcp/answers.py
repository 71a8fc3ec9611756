"""What a server's answer to a call means. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from entracte.core.calls import ServerAnswer
from entracte.core.payload import readable

MAX_ERROR_CHARS = 2000

NO_ERROR_TEXT = "The tool says that it failed, and not why."

_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602

_NOTHING_DONE = frozenset({_METHOD_NOT_FOUND, _INVALID_PARAMS})
"""JSON-RPC errors by which a server says that it did not even begin (https://www.jsonrpc.org/specification#error_object).
An internal error, and whatever else a server makes up, may come from half-done work."""


def answer_of(result: Mapping[str, Any]) -> ServerAnswer:
    """A CallToolResult as it came over the wire."""
    if result.get("isError"):
        return ServerAnswer(error=_error_text(result), native=result)
    return ServerAnswer(value=result_value(result), native=result)


def refusal_of(error: Mapping[str, Any]) -> ServerAnswer:
    """A JSON-RPC error: its code, message and data."""
    text = readable(str(error["message"]), MAX_ERROR_CHARS)
    certain = error["code"] in _NOTHING_DONE
    return ServerAnswer(error=text or NO_ERROR_TEXT, certain=certain, native={"error": dict(error)})


def result_value(result: Mapping[str, Any]) -> Any:
    """The machine-readable block when there is one; else a single text block, read if it is JSON; else all of it."""
    if result.get("structuredContent") is not None:
        return result["structuredContent"]
    match result.get("content"):
        case [{"type": "text", "text": str(text)}]:
            return _read(text)
        case _:
            return {name: value for name, value in result.items() if name not in ("isError", "resultType", "_meta")}


def _read(text: str) -> Any:
    """The text, or what it says when it is a JSON object or list: a bare word, number or quoted text stays a text."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _error_text(result: Mapping[str, Any]) -> str:
    blocks = result.get("content")
    texts = (
        [str(b["text"]) for b in blocks if isinstance(b, Mapping) and "text" in b] if isinstance(blocks, list) else []
    )
    return readable("\n".join(texts), MAX_ERROR_CHARS) or NO_ERROR_TEXT
