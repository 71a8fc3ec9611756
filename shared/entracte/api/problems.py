"""Problems: every error as ``application/problem+json``.

Format: https://www.rfc-editor.org/rfc/rfc9457
"""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match

from entracte.errors import (
    Conflict,
    CorruptDocument,
    EntracteError,
    Forbidden,
    InvalidInput,
    NewerSchema,
    NotFound,
    RateLimited,
    RetryableError,
    Unauthenticated,
)

MEDIA_TYPE = "application/problem+json"

RETRY_AFTER_S = 2


class Problem(BaseModel):
    """What went wrong, where, and what to do about it."""

    type: str = Field(description="`urn:entracte:` and the stable code of the problem.")
    title: str = Field(description="The code in words.")
    status: int
    detail: str = Field(description="What was expected and what was found.")
    pointer: str = Field(description="JSON Pointer to the place in the body that is at fault, or empty.")
    remedy: str = Field(description="What to do about it; empty when the detail says it all.")
    request_id: str = Field(description="Names the request in the server's log.")


class ProblemResponse(JSONResponse):
    """A problem on its way to the caller."""

    media_type = MEDIA_TYPE

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.model_dump(), status_code=problem.status, headers=headers)


def problem_of(request_id: str, *, status: int, code: str, detail: str, pointer: str = "", remedy: str = "") -> Problem:
    """A problem, named by its code."""
    return Problem(
        type=f"urn:entracte:{code}",
        title=code.replace("_", " ").capitalize(),
        status=status,
        detail=detail,
        pointer=pointer,
        remedy=remedy,
        request_id=request_id,
    )


def internal_problem(request_id: str) -> Problem:
    """A fault of ours. What it was stands in the log only."""
    return problem_of(
        request_id,
        status=500,
        code="internal",
        detail="Something went wrong on the server.",
        remedy="It is in the server's log under this request_id.",
    )


def error_problem(request_id: str, error: EntracteError) -> Problem:
    """An error that a caller can do something about; all others are faults of ours."""
    match error:
        case InvalidInput():
            status = _INVALID.get(error.code, 422)
        case NotFound():
            status = 404
        case Conflict():
            status = 409
        case Unauthenticated():
            status = 401
        case Forbidden():
            status = 403
        case RateLimited():
            status = 429
        case RetryableError():
            return problem_of(
                request_id,
                status=503,
                code=error.code,
                detail="The service is busy or a part of it cannot be reached.",
                remedy="Send the request again in a while, with the same Idempotency-Key if it had one.",
            )
        case CorruptDocument() | NewerSchema():
            # Whose it is stands in what cannot be read: which it is stands in the log only.
            return problem_of(
                request_id,
                status=500,
                code=error.code,
                detail="A stored document is not of the shape that this version reads.",
                remedy="The server's log names it under this request_id: correct it there, or deploy what wrote it.",
            )
        case _:
            return internal_problem(request_id)
    return problem_of(
        request_id, status=status, code=error.code, detail=error.message, pointer=error.pointer, remedy=error.remedy
    )


def is_callers(error: EntracteError) -> bool:
    """The caller can do something about it; all others also go to the log."""
    return isinstance(error, (InvalidInput, NotFound, Conflict, Forbidden, RateLimited))


_INVALID: Mapping[str, int] = {"too_large": 413, "unsupported_media_type": 415}
"""Codes of invalid input that HTTP has a status of its own for."""


def answer_errors(app: FastAPI) -> None:
    """Have the app answer every error with a problem."""

    async def on_error(request: Request, error: Exception) -> ProblemResponse:
        match error:
            case EntracteError():
                if not is_callers(error):
                    request.state.fault = error  # goes to the log
                found = error_problem(request.state.request_id, error)
                return ProblemResponse(found, headers_of(error))
            case RequestValidationError():
                return _parameter_problem(request, error)
            case HTTPException():
                return _http_problem(request, error)
            case _:
                raise error

    for kind in (EntracteError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, on_error)


def headers_of(error: EntracteError) -> dict[str, str]:
    """What the answer to an error carries beside the problem."""
    match error:
        case Unauthenticated():  # https://www.rfc-editor.org/rfc/rfc6750#section-3
            return {"WWW-Authenticate": "Bearer"}
        case RateLimited():
            return {"Retry-After": str(error.retry_after_s)}
        case RetryableError():
            return {"Retry-After": str(RETRY_AFTER_S)}
        case _:
            return {}


def _parameter_problem(request: Request, error: RequestValidationError) -> ProblemResponse:
    """A query parameter or header that is not acceptable. Bodies are read by `entracte.api.requests.json_body`."""
    first = error.errors()[0]
    place, *name = (str(part) for part in first["loc"])
    return ProblemResponse(
        problem_of(
            request.state.request_id,
            status=422,
            code=InvalidInput.code,
            detail=f"{'.'.join(name)} ({place}): {first['msg']}.",
            remedy="Parameters are listed at /docs.",
        )
    )


def _http_problem(request: Request, error: HTTPException) -> ProblemResponse:
    """A request that no route takes."""
    known: dict[int, tuple[str, str]] = {
        404: ("route_not_found", f"There is nothing at {request.url.path[:200]!r}."),
        405: ("method_not_allowed", f"{request.method[:20]} is not possible here."),
    }
    code, detail = known.get(error.status_code, ("http", str(error.detail)))
    allow = {"Allow": ", ".join(_methods(request))} if error.status_code == 405 else {}
    return ProblemResponse(
        problem_of(
            request.state.request_id,
            status=error.status_code,
            code=code,
            detail=detail,
            remedy="Routes are listed at /docs and in /openapi.json.",
        ),
        headers={**(error.headers or {}), **allow},
    )


def _methods(request: Request) -> list[str]:
    """What is possible at a request's path. Starlette names the methods of one route only, and each has its own."""
    routes = request.app.routes
    return [
        method
        for method in ("GET", "POST", "PATCH", "DELETE")
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
