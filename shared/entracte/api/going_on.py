"""Routes that let a run go on: a stalled one, a failed one, or a new one from a step of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse

from entracte.api.bodies import ForkBody
from entracte.api.described import answer_of, problems, request_of
from entracte.api.injected import Caller, TheEngine, TheGates, TheRuns, Who
from entracte.api.json_body import json_body
from entracte.api.parameters import IdempotencyKey
from entracte.api.run_answer import LOCATION, answer_begun
from entracte.core.runs.forking import ForkRequest
from entracte.runtime.services.forking import fork
from entracte.runtime.services.going_on import resume, retry

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"], responses=problems(403, 404, 422, 500, 503))


@router.post(
    "/resume",
    summary="Let a stalled run go on",
    status_code=202,
    responses={202: answer_of("RunAnswer", "It goes on.") | LOCATION, **problems(409)},
)
def resume_run(runs: TheRuns, engine: TheEngine, gates: TheGates, who: Who, owner: Caller, run_id: str) -> JSONResponse:
    """What nobody could bring forward is tried again. Nothing is done twice."""
    return answer_begun(resume(engine, runs.get(run_id, owner=owner), by=who.name), gates)


@router.post(
    "/retry",
    summary="Retry a failed run",
    status_code=202,
    responses={202: answer_of("RunAnswer", "It goes on.") | LOCATION, **problems(409)},
)
def retry_run(runs: TheRuns, engine: TheEngine, gates: TheGates, who: Who, owner: Caller, run_id: str) -> JSONResponse:
    """The move that the run ended at is made again. What its calls and sub-agents have done stays done."""
    return answer_begun(retry(engine, runs.get(run_id, owner=owner), by=who.name), gates)


@router.post(
    "/fork",
    summary="Fork a run",
    status_code=202,
    responses={202: answer_of("RunAnswer", "The new run has started.") | LOCATION, **problems(413, 415)},
    openapi_extra=request_of("ForkBody", plain={"at": 2}, changed={"at": 2, "state": {"facts": ["Ada is on Pro."]}}),
)
def fork_run(
    runs: TheRuns,
    engine: TheEngine,
    gates: TheGates,
    owner: Caller,
    body: Annotated[ForkBody, Depends(json_body(ForkBody))],
    run_id: str,
    idempotency_key: IdempotencyKey = None,
) -> JSONResponse:
    """A new run, in a copy of the session, begins where a step of this one's root agent began.

    Calls made before are not made again, and no gate of this run approves anything there. Undoing the fork takes back
    what the fork has done, and nothing else.
    """
    request = ForkRequest(run=run_id, at=body.at, state=body.state)
    forked = fork(engine, runs.get(run_id, owner=owner), request, idempotency_key=idempotency_key or "")
    return answer_begun(forked, gates)
