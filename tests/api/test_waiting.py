"""Waiting for runs (api/waiting.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from entracte.core.documents.run import Status
from tests.api.time_passing import TimePassing
from tests.core.builders import a_run


async def here() -> bool:
    """The client is still there."""
    return False


async def away() -> bool:
    """The client has gone."""
    return True


def statuses(*given: Status) -> Iterator[Status]:
    """These, then the last one for ever."""
    yield from given
    while True:
        yield given[-1]


def test_pauses_grow_and_end_with_the_wait():
    """A quick run is seen quickly, a slow one costs few reads, and nobody waits longer than asked."""
    time = TimePassing()
    run = asyncio.run(time.patience().wait(a_run, 5.0, gone=here))
    assert run.status == "running"
    assert time.pauses[:3] == pytest.approx([0.05, 0.075, 0.1125])
    assert max(time.pauses) == 0.5
    assert sum(time.pauses) == pytest.approx(5.0)


def test_a_wait_is_bounded_whatever_is_asked():
    """A minute at most."""
    time = TimePassing()
    asyncio.run(time.patience().wait(a_run, 600, gone=here))
    assert time.seconds == pytest.approx(60)


@pytest.mark.parametrize("status", ["waiting", "stalled", "succeeded", "failed", "cancelled", "undone", "partial"])
def test_a_run_that_does_not_go_on_by_itself_is_not_waited_for(status: Status):
    """It has ended, or a person has to do something."""
    time, coming = TimePassing(), statuses("queued", "running", status)
    run = asyncio.run(time.patience().wait(lambda: a_run(status=next(coming)), 60, gone=here))
    assert (run.status, len(time.pauses)) == (status, 2)


def test_a_client_that_has_gone_is_not_waited_for():
    """Nobody would read the answer."""
    time = TimePassing()
    asyncio.run(time.patience().wait(a_run, 60, gone=away))
    assert time.pauses == []


def test_no_wait_reads_once():
    """And takes no time."""
    time, reads = TimePassing(), []
    asyncio.run(time.patience().wait(lambda: reads.append(1) or a_run(), 0, gone=here))
    assert (reads, time.pauses) == ([1], [])


def test_the_api_notices_that_a_client_has_gone(app: FastAPI, time_passing: TimePassing):
    """It says so only to those who ask: the connection's next message."""
    coming = iter([{"type": "http.request", "body": b'{"message": "hi"}'}])

    async def receive() -> dict[str, object]:
        return next(coming, {"type": "http.disconnect"})

    async def send(message: object) -> None:
        """Nobody is there."""

    scope = {"type": "http", "method": "POST", "path": "/v1/runs", "query_string": b"wait=60"}
    headers = [(b"content-type", b"application/json")]
    asyncio.run(app(scope | {"headers": headers, "client": None}, receive, send))
    assert time_passing.pauses == []
