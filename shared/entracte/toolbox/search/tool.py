"""The tool `web_search`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import to_builtins
from pydantic import Field

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import Tool, tool
from entracte.errors import ConfigurationError, ToolError
from entracte.toolbox.search import tavily
from entracte.toolbox.search.optimising import merged, optimised
from entracte.toolbox.search.tavily import Query, Since, Topic
from entracte.toolbox.untrusted import UNTRUSTED

SecretOf = Callable[[ToolContext[Any]], str]

Domain = Annotated[str, Field(min_length=3, max_length=200)]


def search_tool(
    *,
    secret: str | SecretOf = "tavily",
    base_url: str = tavily.URL,
    results: int = 5,
    timeout_s: float = 20,
    optimise: bool = False,
) -> Tool:
    """Make a tool that searches with Tavily.

    Args:
        secret: Name of the secret that is the key; or who gives the name for a call, such as
            ``lambda ctx: f"tavily-{ctx.metadata['team']}"``.
        results: Pages of one search, at most 20.
        optimise: The light model first makes up to three queries of one, each in the language and for the country where
            an answer is likely; what they find is merged.

    Raises:
        ConfigurationError: That many cannot be asked for.
    """
    if not 1 <= results <= 20:
        raise ConfigurationError(f"A search gives from 1 to 20 results, not {results}.")

    @tool(
        effect="readonly",
        persist="web_search",
        timeout_s=timeout_s + 10 if not optimise else 3 * timeout_s + 30,
        rule={"class": "readonly"},
        evaluation="A page is about what was looked for; else search in other words. Open a page before citing it.",
    )
    def web_search(
        query: Annotated[str, Field(min_length=1, max_length=400, description="As for a search engine: few words.")],
        ctx: ToolContext[Any],
        topic: Annotated[Topic, Field(description="Where to look.")] = "general",
        country: Annotated[str, Field(max_length=40, description="Prefer pages of it: its English name.")] = "",
        since: Annotated[Since, Field(description="Only pages that are no older.")] = "",
        domains: Annotated[list[Domain], Field(max_length=10, description="Only these sites.")] = [],  # noqa: B006
    ) -> dict[str, Any]:
        """Search the web: title, address and an excerpt of each page."""
        asked = Query(
            text=query,
            topic=topic,
            country=country.strip().lower(),
            since=since,
            domains=tuple(domains),
            results=results,
        )
        key = _key(secret, ctx)
        queries = optimised(asked, ctx) if optimise else (asked,)
        found = [tavily.search(one, key, base_url=base_url, timeout_s=timeout_s) for one in queries]
        searched = {"queries": [one.text for one in queries]} if optimise else {}
        return {"note": UNTRUSTED, **searched, "results": [to_builtins(hit) for hit in merged(found)[:results]]}

    return web_search


def _key(secret: str | SecretOf, ctx: ToolContext[Any]) -> str:
    try:
        return ctx.secret(secret if isinstance(secret, str) else secret(ctx))
    except ConfigurationError as error:
        raise ToolError(f"There is no key to search with. {error.message}") from None
