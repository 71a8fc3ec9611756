"""Server-sent events as JSON: what chat completions, the Messages API and Gemini's REST stream in.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html. Of its fields only ``data`` is used: the JSON of
every service that is asked here says itself what it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

END = b"[DONE]"
"""What OpenAI-compatible services send last, in place of JSON."""


def json_events(pieces: Iterable[bytes]) -> Iterator[Any]:
    """The JSON value of each event, up to the end.

    Args:
        pieces: The body as it arrives.

    Raises:
        ValueError: An event holds something else.
    """
    held: list[bytes] = []
    for line in _lines(pieces):
        if line.startswith(b"data:"):
            held.append(line[5:].strip())
        elif not line and held:
            text, held = b"\n".join(held), []
            if text == END:
                return
            try:
                yield json.loads(text)
            except RecursionError:
                raise ValueError("it is nested too deeply") from None


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, and an empty one at last: an event that nothing follows counts too."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line.rstrip(b"\r") for line in whole)
    yield from (rest, b"")
