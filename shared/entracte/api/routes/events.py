"""The route that streams what happens in a run."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from entracte.api.requests.access import TheEvents, ThePatience, TheRun
from entracte.api.requests.cursors import MAX_CHARS, decode_cursor, encode_cursor
from entracte.api.routes.described import problems
from entracte.api.routes.sse import HEARTBEAT, MEDIA_TYPE, sse_event, sse_retry
from entracte.api.waiting import Patience
from entracte.errors import InvalidInput, RetryableError
from entracte.runtime.watching.journal_tail import START, Place
from entracte.runtime.watching.run_events import Feed, News, Told

router = APIRouter(prefix="/v1/runs", tags=["runs"], responses=problems(403, 422, 500, 503))

HEARTBEAT_S = 15.0
STREAM_S = 240.0
"""Longest stream. A function's request has an end; who still wants to watch connects again and misses nothing."""

RETRY_S = 0.5
FIRST_PAUSE_S = 0.1
LAST_PAUSE_S = 1.0
GROWTH = 1.5

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: everything that happened so far, then what happens, until the run has "
        "ended. The names of the events are the types in `EventAnswer`, their data is one. `model.delta` is text that "
        "is being written; it has no id, and does not come again.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    },
    204: {"description": "Every event was told before, and none is to come: do not connect again."},
}


@router.get("/{run_id}/events", summary="Watch a run", responses={**_STREAM, **problems(404)})
async def stream_events(
    run: TheRun,
    events: TheEvents,
    patience: ThePatience,
    last_event_id: Annotated[
        str | None, Header(max_length=MAX_CHARS, description="`id` of the last event that was seen: go on after it.")
    ] = None,
    cursor: Annotated[
        str | None, Query(max_length=MAX_CHARS, description="The same, for clients that cannot set headers.")
    ] = None,
    follow: Annotated[bool, Query(description="Wait for what comes; else end with what there is now.")] = True,
) -> Response:
    """Tell what happens in a run as it happens, each event exactly once and in order.

    A stream that breaks off, or comes to the end of its time, is gone on with by connecting again with
    `Last-Event-ID`, as browsers do by themselves.
    """
    of = f"events\0{run.id}"
    seen = last_event_id or cursor
    feed = events.feed(run, _place(seen, of))
    news = await run_in_threadpool(feed.look)
    if seen and (news.is_over or not (follow or news.told)):
        return Response(status_code=204)
    return StreamingResponse(
        _stream(feed, news, patience, of, follow), media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"}
    )


async def _stream(feed: Feed, news: News, patience: Patience, of: str, follow: bool) -> AsyncIterator[str]:
    began = said = patience.now()
    pause = FIRST_PAUSE_S
    yield sse_retry(RETRY_S)
    while True:
        for told in news.told:
            yield sse_event(told.event, id=_id(told, of))
        now = patience.now()
        if news.is_over or now - began >= STREAM_S or not (follow or news.told):
            return
        if news.told:
            said, pause = now, FIRST_PAUSE_S
        elif now - said >= HEARTBEAT_S:
            said = now
            yield HEARTBEAT
        if follow:
            await patience.sleep(pause)
        pause = min(pause * GROWTH, LAST_PAUSE_S)
        news = News(news.run, (), is_over=False)
        with contextlib.suppress(RetryableError):  # the store is busy: the stream goes on, and so does the watcher
            news = await run_in_threadpool(feed.look)


def _id(told: Told, of: str) -> str | None:
    place = told.place
    return encode_cursor((place.at, f"{place.version}.{place.index}"), of=of) if place is not None else None


def _place(seen: str | None, of: str) -> Place:
    """The place that an event's id names.

    Raises:
        InvalidInput: No event of this run has such an id.
    """
    with contextlib.suppress(InvalidInput):
        if (found := decode_cursor(seen, of=of)) is None:
            return START
        at, where = found
        version, _, index = where.partition(".")
        if isinstance(at, datetime | None) and version.isdecimal() and index.isdecimal():
            return Place(at, int(version), int(index))
    raise InvalidInput(
        "No event of this run has such an id.",
        remedy="Send the id of an event of this run as Last-Event-ID, or as cursor; without it the stream begins.",
        code="bad_cursor",
    )
