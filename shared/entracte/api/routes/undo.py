"""Routes of undos."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from entracte.api.requests.access import Caller, TheEngine, TheGates, ThePatience, TheRun, TheRuns, Who
from entracte.api.requests.bodies import UndoBody
from entracte.api.requests.json_body import json_body
from entracte.api.requests.parameters import Wait
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.api.routes.run_answer import LOCATION, answer_change
from entracte.runtime.services.dry_run import dry_run
from entracte.runtime.services.rendering import step_json

router = APIRouter(prefix="/v1/runs/{run_id}/undo", tags=["runs"], responses=problems(403, 404, 422, 500, 503))


@router.post(
    "",
    summary="Undo a run",
    status_code=202,
    responses={
        200: answer_of("RunAnswer", "It has ended: `undone`, or `partial` where not everything could be.") | LOCATION,
        202: answer_of("RunAnswer", "It is being taken back.") | LOCATION,
        **problems(409, 413, 415),
    },
    openapi_extra=request_of(
        "UndoBody", whole={}, part={"to": "5f3a9b2c1d0e4f5a6b7c.2.0"}, replanned={"to": None, "replan": True}
    ),
)
async def undo_run(
    request: Request,
    runs: TheRuns,
    gates: TheGates,
    who: Who,
    owner: Caller,
    patience: ThePatience,
    body: Annotated[UndoBody, Depends(json_body(UndoBody))],
    run_id: str,
    wait: Wait = 0,
) -> JSONResponse:
    """Take a run's changes back, newest first; a run that has not ended is cancelled before.

    Each record is compared first. What somebody has changed since is left as it is, and the undo stops there. Undoing a
    run that is undone changes nothing.
    """
    run = await run_in_threadpool(runs.undo, run_id, owner=owner, by=who.name, to=body.to or "", replan=body.replan)
    if wait:
        run = await patience.wait(lambda: runs.get(run.id, owner=owner), wait, gone=request.is_disconnected)
    return await run_in_threadpool(answer_change, run, gates)


@router.get(
    "",
    summary="Show what an undo would do",
    responses={200: answer_of("UndoPlanAnswer", "Step by step."), **problems(409)},
)
def rehearse_undo(
    run: TheRun,
    engine: TheEngine,
    to: Annotated[str, Query(max_length=500, description="Action at which it would end, inclusive.")] = "",
    replan: Annotated[bool, Query(description="Work the inverse calls out anew, by the policy of today.")] = False,
) -> JSONResponse:
    """A dry run: reads the records as they are now, and writes nothing."""
    steps = dry_run(engine, run, to=to, replan=replan)
    whole = all(step.fate in ("revert", "unverified", "already") for step in steps)
    return JSONResponse({"run": run.id, "whole": whole, "steps": [step_json(step) for step in steps]})
