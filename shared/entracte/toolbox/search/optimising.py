"""Making better queries of one, with the light model, and one list of what they find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from entracte.adapters.python.context import ToolContext
from entracte.errors import ModelRefused, RetryableError
from entracte.toolbox.search.tavily import Hit, Query

MAX_QUERIES = 3

PROMPT = """An agent wants to search the web for:

{query}

Write one to three queries for a search engine that find it. Few words each, names as they are written, no operators. If
pages about it are likely in another language, write one query in that language, with the English name of its country.
Do not write two queries that would find the same."""


class _Better(BaseModel):
    """A query, and the country whose pages it is for."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1, max_length=400)
    country: str = Field("", max_length=40, description="English name; empty for any.")


class _Queries(BaseModel):
    model_config = ConfigDict(extra="forbid")

    queries: Annotated[list[_Better], Field(min_length=1, max_length=MAX_QUERIES)]


def optimised(query: Query, ctx: ToolContext[Any]) -> tuple[Query, ...]:
    """The queries that the light model makes of one; where it gives none, that one."""
    try:
        said = ctx.ask_model(
            PROMPT.format(query=query.text), schema=_Queries.model_json_schema(), max_output_tokens=500
        )
        better = _Queries.model_validate(said).queries
    except (ModelRefused, RetryableError, ValidationError):
        return (query,)
    made = [replace(query, text=one.query, country=query.country or one.country.strip().lower()) for one in better]
    return tuple(dict.fromkeys(made))


def merged(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Each page once, by its best score, the best first."""
    best: dict[str, Hit] = {}
    for hit in (hit for hits in found for hit in hits):
        key = hit.url.partition("#")[0].rstrip("/")
        if key not in best or best[key].score < hit.score:
            best[key] = hit
    return sorted(best.values(), key=lambda hit: -hit.score)
