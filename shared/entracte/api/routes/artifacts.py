"""Routes of a session's artifacts, for people and apps. Agents have tools of their own."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import JSONResponse

from entracte.api.requests.access import TheEngine, TheShelf
from entracte.api.requests.bodies import ArtifactBody, ArtifactChange
from entracte.api.requests.json_body import json_body
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.core.artifacts.record import record_of, summary_of

router = APIRouter(
    prefix="/v1/sessions/{session_id}/artifacts", tags=["artifacts"], responses=problems(403, 404, 422, 500, 503)
)

_ARTIFACT: dict[int | str, dict[str, Any]] = {200: answer_of("ArtifactAnswer", "The artifact as it is now.")}

Version = Annotated[str, Query(max_length=40, description="Version that it must still have; any by default.")]


@router.get("", summary="List artifacts", responses={200: answer_of("ArtifactList", "Without contents.")})
def list_artifacts(
    shelf: TheShelf,
    tag: Annotated[str, Query(max_length=50, description="Only those with this tag.")] = "",
    active: Annotated[bool | None, Query(description="Only those that agents are shown, or are not.")] = None,
) -> JSONResponse:
    """The session's artifacts and the shared ones of its owner: the latest few hundred, the one changed last first."""
    return JSONResponse({"items": [summary_of(artifact) for artifact in shelf.list(tag=tag, active=active)]})


@router.post(
    "",
    summary="Put an artifact on the desk",
    status_code=201,
    responses={201: answer_of("ArtifactAnswer", "The artifact."), **problems(413, 415)},
    openapi_extra=request_of(
        "ArtifactBody",
        text={"title": "Outline", "content": "1. Ada finds a letter.\n"},
        shared={"title": "House style", "content": "Plain words.", "tags": ["style"], "shared": True},
    ),
)
def create_artifact(
    shelf: TheShelf,
    engine: TheEngine,
    session_id: str,
    body: Annotated[ArtifactBody, Depends(json_body(ArtifactBody))],
) -> JSONResponse:
    """A text that the session's agents are shown, and may work with if they have the tools."""
    made = shelf.create(
        key=engine.process.new_token(),
        title=body.title,
        text=body.content,
        shared=body.shared,
        type=body.type,
        tags=body.tags,
        active=body.active,
    )
    return JSONResponse(
        record_of(made), status_code=201, headers={"Location": f"/v1/sessions/{session_id}/artifacts/{made.id}"}
    )


@router.get("/{artifact}", summary="Read an artifact", responses=_ARTIFACT)
def read_artifact(shelf: TheShelf, artifact: str) -> JSONResponse:
    """One artifact with its content, by id or title, or the beginning of one."""
    return JSONResponse(record_of(shelf.get(artifact)))


@router.patch(
    "/{artifact}",
    summary="Change an artifact",
    responses={**_ARTIFACT, **problems(409, 413, 415)},
    openapi_extra=request_of(
        "ArtifactChange",
        content={"content": "1. Ada finds two letters.\n", "version": "0123456789ab"},
        off={"active": False},
    ),
)
def change_artifact(
    shelf: TheShelf,
    engine: TheEngine,
    artifact: str,
    body: Annotated[ArtifactChange, Depends(json_body(ArtifactChange))],
) -> JSONResponse:
    """Its title, type, tags or content, and whether agents are shown it. What is left out stays."""
    changes = body.changes()
    changed = shelf.change(
        artifact, lambda before: before.changed(**changes), key=engine.process.new_token(), version=body.version
    )
    return JSONResponse(record_of(changed))


@router.delete(
    "/{artifact}",
    summary="Delete an artifact",
    responses={200: answer_of("ArtifactAnswer", "As it was."), **problems(409)},
)
def delete_artifact(shelf: TheShelf, artifact: str, version: Version = "") -> JSONResponse:
    """For good; the answer is the last that there is of it. To take it out of agents' sight, set `active` to false."""
    return JSONResponse(record_of(shelf.delete(artifact, version=version)))
