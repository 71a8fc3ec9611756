"""Lists of several servers as one: page after page, server after server. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from entracte.errors import InvalidInput

ITEMS: Mapping[str, str] = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""Where each list has its items."""

NAMED = frozenset({"tools/list", "prompts/list"})
"""Lists whose items a client calls by their names. Resources have addresses of their own."""

Page = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""A page of one source's list, from its name and the parameters of the request."""


def page_of(
    method: str, cursor: str | None, sources: Sequence[str], page: Page, outside: Callable[[str, str], str]
) -> dict[str, Any]:
    """A page of the joined list.

    Args:
        cursor: ``{number of the source}:{cursor there}``, as the page before gave it.
        outside: What the client knows a source's item by.

    Raises:
        InvalidInput: No page gave that cursor.
    """
    number, inner = _read(cursor, len(sources)) if cursor is not None else (0, "")
    if not sources:
        return {ITEMS[method]: []}
    source = sources[number]
    found = page(source, {"cursor": inner} if inner else {})
    items = [_renamed(item, source, outside) if method in NAMED else item for item in found.get(ITEMS[method], [])]
    following = found.get("nextCursor")
    joined = {**found, ITEMS[method]: items}
    joined.pop("nextCursor", None)
    if following:
        joined["nextCursor"] = f"{number}:{following}"
    elif number + 1 < len(sources):
        joined["nextCursor"] = f"{number + 1}:"
    return joined


def _renamed(item: Mapping[str, Any], source: str, outside: Callable[[str, str], str]) -> dict[str, Any]:
    return {**item, "name": outside(source, str(item.get("name", "")))}


def _read(cursor: str, sources: int) -> tuple[int, str]:
    number, colon, inner = cursor.partition(":")
    if not colon or not number.isascii() or not number.isdigit() or len(number) > 4 or int(number) >= sources:
        raise InvalidInput(f"There is no page {cursor[:80]!r}.", pointer="/cursor")
    return int(number), inner
