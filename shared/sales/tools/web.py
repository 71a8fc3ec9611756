"""Tools on a web that fits into a file: pages.yaml. `entracte.toolbox` has the ones for the real web."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field
from ruamel.yaml import YAML

from entracte.agents import ToolError, tool

MAX_HITS = 5


class Page(BaseModel):
    """A page of the web."""

    url: str
    title: str
    text: str


class Hit(BaseModel):
    """A page that has words of the query."""

    url: str
    title: str
    snippet: str


@cache
def pages() -> tuple[Page, ...]:
    """All pages, as the file has them."""
    return tuple(map(Page.model_validate, YAML(typ="safe").load(Path(__file__).parents[1] / "pages.yaml")))


@tool(
    effect="readonly",
    evaluation="A hit whose snippet is about the question: open it. None: search with fewer or other words.",
)
def search_web(query: Annotated[str, Field(min_length=1, max_length=200, description="A few words.")]) -> list[Hit]:
    """Search the web; the pages with most of the words come first."""
    wanted = _words(query)
    found = [(len(wanted & _words(f"{page.title} {page.text}")), page) for page in pages()]
    found.sort(key=lambda scored: -scored[0])
    return [Hit(url=p.url, title=p.title, snippet=p.text[:120]) for score, p in found[:MAX_HITS] if score]


@tool(effect="readonly", evaluation="Quote the sentence that answers the question, with the page's address.")
def open_page(url: Annotated[str, Field(description="An address that a search has found.")]) -> Page:
    """Read a page."""
    for page in pages():
        if page.url == url:
            return page
    raise ToolError(f"There is no page {url!r}.", remedy="Search first, and open a hit's address as it stands.")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
