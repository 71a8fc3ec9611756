"""How routes describe bodies and answers: by name. `entracte.api.openapi` adds the models of these names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.api.problems import MEDIA_TYPE

_COMPONENTS = "#/components/schemas/"


def request_of(name: str, **examples: Any) -> dict[str, Any]:
    """A route's `openapi_extra`: its body, with examples."""
    shown = {key: {"value": value} for key, value in examples.items()}
    content = {"application/json": {"schema": {"$ref": _COMPONENTS + name}, "examples": shown}}
    return {"requestBody": {"required": True, "content": content}}


def answer_of(name: str, description: str) -> dict[str, Any]:
    """One of a route's `responses`."""
    return {"description": description, "content": {"application/json": {"schema": {"$ref": _COMPONENTS + name}}}}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Those of a route's `responses` that are problems. Where callers may be refused, they may be for each reason."""
    content = {MEDIA_TYPE: {"schema": {"$ref": _COMPONENTS + "Problem"}}}
    return {
        status: {"description": _MEANING[status], "content": content}
        for status in statuses + (_OF_CALLERS if 403 in statuses else ())
    }


_OF_CALLERS = (401, 429)

_MEANING: Mapping[int, str] = {
    401: "Nothing in the request proves who sends it.",
    403: "The caller may not do this.",
    404: "No such thing, or it is somebody else's.",
    409: "It is not in a state that allows this; `detail` says what it is.",
    413: "The body is too large.",
    415: "The body is not sent as `application/json`.",
    422: "Something in the request is not acceptable; `detail`, `pointer` and `remedy` say what.",
    429: "Too many requests, or too much spent: try again after `Retry-After` seconds.",
    500: "A fault of the server.",
    503: "Busy, or a part cannot be reached: try again after `Retry-After` seconds.",
}
