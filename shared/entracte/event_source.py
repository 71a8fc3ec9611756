"""Reading server-sent events, and going on where a stream broke off.

https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from entracte.errors import RetryableError

if TYPE_CHECKING:
    import httpx

MAX_FRUITLESS = 8
"""Connections in a row that bring nothing before the reader gives up; the pauses between them grow to 5 s."""

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0

Connect = Callable[[str], AbstractContextManager["httpx.Response"]]
"""Opens the stream after the event of that id, or from the start; raises RetryableError when it cannot."""


def read_stream(
    connect: Connect, *, after: str = "", sleep: Callable[[float], object] = time.sleep
) -> Iterator[dict[str, Any]]:
    """The data of each event and its ``id``, exactly once and in order, until the stream is over.

    Events without an id are given as they come; they do not come again.

    Args:
        after: Id of the event to go on after; empty for the start.

    Raises:
        RetryableError: The stream cannot be opened, or breaks off again and again.
    """
    import httpx

    last_id, fruitless = after, 0
    while True:
        try:
            with connect(last_id) as response:
                if response.status_code == httpx.codes.NO_CONTENT:
                    return
                for id, data in _events(response.iter_lines()):
                    fruitless = 0
                    if id is not None:
                        last_id = id
                    yield {**data, "id": id}
            trouble: Exception | None = None
        except (httpx.HTTPError, RetryableError) as error:
            trouble = error
        fruitless += 1
        if trouble is not None and fruitless > MAX_FRUITLESS:
            raise RetryableError(
                f"The stream of events broke off {fruitless} times in a row ({trouble}).",
                remedy="Check that the API is up, and read on.",
                code="stream_broken",
            ) from trouble
        sleep(min(FIRST_PAUSE_S * 2 ** (fruitless - 1), LONGEST_PAUSE_S))


def _events(lines: Iterable[str]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Id and data of each whole event; what was cut off in the middle is no event."""
    id: str | None = None
    data: list[str] = []
    for line in lines:
        name, _, value = line.partition(":")
        match name, value.removeprefix(" "):
            case "", "" if not line:
                if data:
                    yield id, json.loads("\n".join(data))
                id, data = None, []
            case "id", text:
                id = text
            case "data", text:
                data.append(text)
            case _:  # a comment, the event's name (its data has it too), how long to wait
                pass
