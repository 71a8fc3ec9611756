"""Routes of runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from entracte.api.requests.access import Caller, ListedOwner, TheGates, ThePatience, TheRun, TheRuns
from entracte.api.requests.bodies import RunBody
from entracte.api.requests.cursors import decode_cursor, encode_cursor
from entracte.api.requests.json_body import json_body
from entracte.api.requests.parameters import Cursor, IdempotencyKey, Limit, Wait
from entracte.api.requests.query import ANY_NAME
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.api.routes.run_answer import LOCATION, answer_change, answer_run, linked_json
from entracte.core.documents.run import Status
from entracte.errors import InvalidInput
from entracte.runtime.services.rendering import entry_json

router = APIRouter(prefix="/v1/runs", tags=["runs"], responses=problems(403, 422, 500, 503))


@router.post(
    "",
    summary="Start a run",
    status_code=202,
    responses={
        200: answer_of("RunAnswer", "It has ended already.") | LOCATION,
        202: answer_of("RunAnswer", "Started, or found by its Idempotency-Key; not ended yet.") | LOCATION,
        **problems(404, 413, 415),
    },
    openapi_extra=request_of(
        "RunBody",
        short={"message": "Which customers are on the Pro plan?"},
        long={
            "input": {"message": "Which customers are on the Pro plan?"},
            "session": "a1b2",
            "budget": {"cost_micro_usd": 50_000},
            "time_zone": "Asia/Tokyo",
            "metadata": {"ticket": "T-7"},
        },
    ),
)
async def start_run(
    request: Request,
    runs: TheRuns,
    gates: TheGates,
    owner: Caller,
    patience: ThePatience,
    body: Annotated[RunBody, Depends(json_body(RunBody))],
    idempotency_key: IdempotencyKey = None,
    wait: Wait = 0,
) -> JSONResponse:
    """Give a network something to do. The answer comes at once, or when the run has ended within `wait` seconds."""
    try:
        run = await run_in_threadpool(runs.start, body.request(), owner=owner, idempotency_key=idempotency_key or "")
    except InvalidInput as error:
        error.pointer = body.pointer(error.pointer)
        raise
    if wait:
        run = await patience.wait(lambda: runs.get(run.id, owner=owner), wait, gone=request.is_disconnected)
    return await run_in_threadpool(answer_change, run, gates)


@router.get("", summary="List runs", responses={200: answer_of("RunPage", "A page.")})
def list_runs(
    request: Request,
    runs: TheRuns,
    owner: ListedOwner,
    status: Annotated[Status | None, Query()] = None,
    agent: Annotated[str | None, Query(description="Agent that the run started at.")] = None,
    session: Annotated[str | None, Query()] = None,
    label: Annotated[str | None, Query(alias=f"metadata{ANY_NAME}", description="Value of the label NAME.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JSONResponse:
    """The caller's runs, newest first. `metadata.NAME=VALUE` lists those with that label."""
    others = ("owner", "cursor", "limit")
    filters = {name: value for name, value in request.query_params.items() if name not in others}
    of = "\0".join(["runs", owner, *(f"{name}={filters[name]}" for name in sorted(filters))])
    page = runs.list(owner=owner, filters=filters, limit=limit, after=decode_cursor(cursor, of=of))
    items = [linked_json(run) for run in page.items]
    return JSONResponse(
        {"items": items, "next_cursor": encode_cursor(page.after, of=of), "unreadable": page.unreadable}
    )


@router.get("/{run_id}", summary="Read a run", responses={200: answer_of("RunAnswer", "The run."), **problems(404)})
async def read_run(
    request: Request,
    runs: TheRuns,
    gates: TheGates,
    owner: Caller,
    patience: ThePatience,
    run_id: str,
    wait: Wait = 0,
) -> JSONResponse:
    """A run as it is now, or as it is after `wait` seconds."""
    run = await patience.wait(lambda: runs.get(run_id, owner=owner), wait, gone=request.is_disconnected)
    return await run_in_threadpool(answer_run, run, gates)


@router.get(
    "/{run_id}/journal",
    summary="Read a run's journal",
    responses={200: answer_of("EntryPage", "A page."), **problems(404)},
)
def read_journal(runs: TheRuns, run: TheRun, cursor: Cursor = None, limit: Limit = 100) -> JSONResponse:
    """Everything that the run did, oldest first. While it is open, more may come after the last page."""
    of = f"journal\0{run.id}"
    page = runs.journal(run, limit=limit, after=decode_cursor(cursor, of=of))
    items = [entry_json(entry) for entry in page.items]
    return JSONResponse({"items": items, "next_cursor": encode_cursor(page.after, of=of)})


@router.post(
    "/{run_id}/cancel",
    summary="Cancel a run",
    responses={200: answer_of("RunAnswer", "It is cancelled."), **problems(404, 409)},
)
def cancel_run(runs: TheRuns, gates: TheGates, owner: Caller, run_id: str) -> JSONResponse:
    """Close a run. It starts nothing more; calls of tools that are under way end as they end."""
    return answer_run(runs.cancel(run_id, owner=owner), gates)
