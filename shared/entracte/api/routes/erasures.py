"""The route by which operators erase an owner."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse

from entracte.api.requests.access import Operator, TheEngine
from entracte.api.requests.bodies import ErasureBody
from entracte.api.requests.json_body import json_body
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.runtime.upkeep.erasing import erase

router = APIRouter(prefix="/v1/erasures", tags=["upkeep"], responses=problems(403, 409, 413, 415, 422, 500, 503))


@router.post(
    "",
    summary="Erase an owner",
    responses={200: answer_of("ErasureAnswer", "What is kept of them, or what of it was deleted.")},
    openapi_extra=request_of(
        "ErasureBody", look={"owner": "ada@example.com"}, erase={"owner": "ada@example.com", "dry_run": False}
    ),
)
def erase_owner(
    engine: TheEngine, operator: Operator, body: Annotated[ErasureBody, Depends(json_body(ErasureBody))]
) -> JSONResponse:
    """Delete all that is kept of an owner, for good; or, by default, count it. For operators.

    Refused while a run of theirs is open. Takes 20 seconds at most: until the answer is `complete`, ask again. Whose it
    is stands in the body, since addresses of requests are logged.
    """
    return JSONResponse(erase(engine, body.owner, dry_run=body.dry_run, by=operator).json)
