"""Tavily's search service (https://docs.tavily.com/documentation/api-reference/endpoint/search)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from entracte.core.payload import readable
from entracte.errors import ToolError

URL = "https://api.tavily.com"

MAX_ANSWER_BYTES = 2_000_000

Topic = Literal["general", "news", "finance"]
Since = Literal["", "day", "week", "month", "year"]

_REASONS: Mapping[int, str] = {
    400: "it does not understand the query",
    401: "the key is not valid",
    429: "too many queries in too short a time",
    432: "the plan's limit has been reached",
    433: "the limit of pay-as-you-go has been reached",
}


class Query(Struct, frozen=True, kw_only=True):
    """One search.

    Attributes:
        country: English name in lower case, such as ``japan``; empty for all. For general searches.
        since: How old a page may be; empty for any age.
        domains: Only these sites.
    """

    text: str
    topic: Topic = "general"
    country: str = ""
    since: Since = ""
    domains: tuple[str, ...] = ()
    results: int = 5


class Hit(Struct, frozen=True, kw_only=True):
    """A page that was found."""

    title: str
    url: str
    text: str
    score: float
    published: str = ""


def search(query: Query, key: str, *, base_url: str = URL, timeout_s: float = 20) -> list[Hit]:
    """The pages that Tavily finds, the best first.

    Raises:
        ToolError: It cannot be reached, refuses, or answers something else. Never with the key in it.
    """
    import httpx

    asked: dict[str, Any] = {"query": query.text, "topic": query.topic, "max_results": query.results}
    if query.country and query.topic == "general":
        asked["country"] = query.country
    if query.since:
        asked["time_range"] = query.since
    if query.domains:
        asked["include_domains"] = list(query.domains)
    try:
        with (
            httpx.Client(timeout=timeout_s, follow_redirects=False) as client,
            client.stream(
                "POST", f"{base_url}/search", json=asked, headers={"Authorization": f"Bearer {key}"}
            ) as answer,
        ):
            if answer.status_code != 200:
                reason = _REASONS.get(answer.status_code, "for a reason that it did not give")
                raise ToolError(f"The search service refused with {answer.status_code}: {reason}.")
            body = b""
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > MAX_ANSWER_BYTES:
                    raise ToolError("The search service's answer is too long.")
    except httpx.HTTPError as error:
        raise ToolError(f"The search service cannot be reached: {type(error).__name__}.") from None
    return _hits(body)


def _hits(body: bytes) -> list[Hit]:
    from pydantic import BaseModel, ValidationError

    class Found(BaseModel):
        title: str = ""
        url: str
        content: str = ""
        score: float = 0.0
        published_date: str | None = None

    class Answer(BaseModel):
        results: list[Found]

    try:
        answer = Answer.model_validate_json(body)
    except ValidationError:
        raise ToolError("The search service answered something that is no list of results.") from None
    return [
        Hit(
            title=readable(found.title, 300),
            url=readable(found.url, 2000),
            text=readable(found.content, 4000),
            score=round(found.score, 3),
            published=readable(found.published_date or "", 40),
        )
        for found in answer.results
    ]
