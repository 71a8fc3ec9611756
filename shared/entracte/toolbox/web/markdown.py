"""HTML as Markdown: what a reader would see, with links that lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from entracte.errors import ConfigurationError
from entracte.toolbox.web.pruning import pruned

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MAX_NESTING = 200
"""Depth of elements up to which structure is kept; the converter descends by calling itself."""

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_EMPTY_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def markdown(html: str, base: str) -> tuple[str, str]:
    """Title and text of a page.

    What no reader sees is left out, comments and hidden elements among it: there is where pages talk to machines.

    Args:
        base: Where the page was found.

    Raises:
        ConfigurationError: The extra ``web`` is not installed.
    """
    try:
        from bs4 import BeautifulSoup
        from markdownify import MarkdownConverter
    except ImportError:
        raise ConfigurationError("open_url needs markdownify.", remedy="Install entracte[web].") from None

    soup = BeautifulSoup(pruned(html), "html.parser")
    title = " ".join(soup.title.get_text().split())[:300] if soup.title else ""
    nesting = _strip(soup)
    _complete_links(soup, base)
    if nesting > MAX_NESTING:
        text = soup.get_text("\n")
    else:
        text = MarkdownConverter(heading_style="ATX", bullets="-").convert_soup(soup)
    return title, _EMPTY_LINES.sub("\n\n", text).strip()


def _strip(soup: BeautifulSoup) -> int:
    """Take out what is not seen. How deep the deepest of the other elements lies."""
    deepest = 0
    waiting: list[tuple[Tag, int]] = [(soup, 0)]
    while waiting:
        element, depth = waiting.pop()
        if _is_unseen(element):
            element.extract()  # with all that is in it
            continue
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in element.find_all(True, recursive=False)]
    return deepest


def _is_unseen(element: Tag) -> bool:
    return (
        element.name in ("title", "embed")
        or element.has_attr("hidden")
        or bool(_HIDDEN.search(str(element.get("style") or "")))
    )


def _complete_links(soup: BeautifulSoup, base: str) -> None:
    """Make the addresses of links whole; take out those that lead nowhere, and pictures within the page."""
    for name, attribute in (("a", "href"), ("img", "src")):
        for element in soup.find_all(name):
            place = str(element.get(attribute) or "").strip()
            try:
                whole = urljoin(base, place)
            except ValueError:
                whole = ""
            if place and not place.startswith("#") and whole.startswith(("https://", "http://", "mailto:")):
                element[attribute] = whole
            elif name == "img":
                element.extract()
            else:
                del element[attribute]
