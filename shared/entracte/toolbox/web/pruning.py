"""HTML without what no reader sees, cut out in one pass before a parser looks at it.

The parser searches for the end of every ``<`` anew, so that a page of 100 KB without any end would keep it busy for a
quarter of a minute (https://github.com/python/cpython/issues/135462). Here whatever never ends ends the page.
"""

from __future__ import annotations

import re

MAX_CHARS = 1_000_000
"""Of a page that are looked at."""

MAX_TAG_CHARS = 20_000
"""Of a tag; longer ones hold pictures, not links."""

_UNSEEN = re.compile(r"<!--|<(script|style|noscript|template|iframe|object|svg|canvas|textarea)(?=[\s/>])|<[!?]", re.I)


MAX_TAGS = 30_000
"""Of a page; what comes after them is left out."""


def pruned(html: str) -> str:
    """The page without comments, declarations, scripts and the like."""
    html = html[:MAX_CHARS]
    kept, at = [], 0
    while opening := _UNSEEN.search(html, at):
        kept.append(html[at : opening.start()])
        at = _end_of(html, opening)
        if at < 0:
            break
    else:
        kept.append(html[at:])
    return _closed("".join(kept))


def _end_of(html: str, opening: re.Match[str]) -> int:
    """Where what opens there has ended; -1 when it never does."""
    if opening[0] == "<!--":
        end = html.find("-->", opening.start() + 2)  # <!--> is a whole comment
        return end + 3 if end >= 0 else -1
    at = opening.end()
    if element := opening[1]:
        closing = re.compile(rf"</{element}(?=[\s/>])", re.I).search(html, at)
        if closing is None:
            return -1
        at = closing.end()
    return html.find(">", at) + 1 or -1


def _closed(html: str) -> str:
    """The page up to its last ``>`` as it is, but for endless tags; what follows can only be text."""
    last = html.rfind(">") + 1
    pieces: list[str] = []
    at = tags = 0
    while (opening := html.find("<", at, last)) >= 0:
        if (tags := tags + 1) > MAX_TAGS:
            return "".join([*pieces, html[at:opening]])
        end = html.find(">", opening, last) + 1
        whole = end - opening <= MAX_TAG_CHARS
        pieces.append(html[at : end if whole else opening])
        at = end
    return "".join([*pieces, html[at:last], html[last:].replace("<", "&lt;")])
