"""Routes that let a run go on: a stalled one, a failed one, or a new one from a step of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse

from entracte.api.requests.access import TheEngine, TheGates, TheRun, Who
from entracte.api.requests.bodies import ForkBody
from entracte.api.requests.json_body import json_body
from entracte.api.requests.parameters import IdempotencyKey
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.api.routes.run_answer import LOCATION, answer_begun
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
def resume_run(run: TheRun, engine: TheEngine, gates: TheGates, who: Who) -> JSONResponse:
    """What nobody could bring forward is tried again. Nothing is done twice."""
    return answer_begun(resume(engine, run, by=who.name), gates)


@router.post(
    "/retry",
    summary="Retry a failed run",
    status_code=202,
    responses={202: answer_of("RunAnswer", "It goes on.") | LOCATION, **problems(409)},
)
def retry_run(run: TheRun, engine: TheEngine, gates: TheGates, who: Who) -> JSONResponse:
    """The move that the run ended at is made again. What its calls and sub-agents have done stays done."""
    return answer_begun(retry(engine, run, by=who.name), gates)


@router.post(
    "/fork",
    summary="Fork a run",
    status_code=202,
    responses={202: answer_of("RunAnswer", "The new run has started.") | LOCATION, **problems(413, 415)},
    openapi_extra=request_of("ForkBody", plain={"at": 2}, changed={"at": 2, "state": {"facts": ["Ada is on Pro."]}}),
)
def fork_run(
    run: TheRun,
    engine: TheEngine,
    gates: TheGates,
    body: Annotated[ForkBody, Depends(json_body(ForkBody))],
    idempotency_key: IdempotencyKey = None,
) -> JSONResponse:
    """A new run, in a copy of the session, begins where a step of this one's root agent began.

    Calls made before are not made again, and no gate of this run approves anything there. Undoing the fork takes back
    what the fork has done, and nothing else.
    """
    request = ForkRequest(run=run.id, at=body.at, state=body.state)
    return answer_begun(fork(engine, run, request, idempotency_key=idempotency_key or ""), gates)
