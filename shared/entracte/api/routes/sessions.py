"""Routes of sessions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse

from entracte.api.requests.access import Caller, TheEngine, TheRuns, TheSession, TheShelf, TheState
from entracte.api.requests.bodies import StateDiff
from entracte.api.requests.cursors import decode_cursor, encode_cursor
from entracte.api.requests.json_body import json_body
from entracte.api.requests.parameters import Cursor, Limit
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.runtime.services.rendering import session_json, turn_json
from entracte.runtime.services.session_files import exported

router = APIRouter(prefix="/v1/sessions/{session_id}", tags=["sessions"], responses=problems(403, 404, 422, 500, 503))

MAX_EXPORTED_BYTES = 16 * 1024 * 1024
"""Cloud Run answers with 32 MiB at most, and an instance has to hold all of it."""

_STATE: dict[int | str, dict[str, Any]] = {200: answer_of("StateAnswer", "The state as it is now.")}


@router.get("", summary="Read a session", responses={200: answer_of("SessionAnswer", "The session.")})
def read_session(session: TheSession) -> JSONResponse:
    """A conversation: its global state and the number of its turns."""
    return JSONResponse(session_json(session))


@router.get("/turns", summary="Read a session's turns", responses={200: answer_of("TurnPage", "A page.")})
def read_turns(runs: TheRuns, session: TheSession, cursor: Cursor = None, limit: Limit = 100) -> JSONResponse:
    """What was said, oldest first."""
    of = f"turns\0{session.id}"
    page = runs.turns(session, limit=limit, after=decode_cursor(cursor, of=of))
    items = [turn_json(turn) for turn in page.items]
    return JSONResponse({"items": items, "next_cursor": encode_cursor(page.after, of=of)})


@router.get(
    "/export",
    summary="Export a session",
    responses={200: answer_of("SessionExport", "The whole session."), **problems(409)},
)
def export_session(session: TheSession, shelf: TheShelf, engine: TheEngine) -> JSONResponse:
    """Messages, summary, state and artifacts, as a file that `entracte load` makes a session of."""
    found = exported(engine.repository, session, shelf, max_bytes=MAX_EXPORTED_BYTES)
    return JSONResponse(found, headers={"Content-Disposition": 'attachment; filename="session.json"'})


@router.get("/state", summary="Read a session's state", responses=_STATE)
def read_state(state: TheState, owner: Caller, session_id: str) -> JSONResponse:
    """Global state, shared by all runs of the session."""
    return JSONResponse(state.get(session_id, owner=owner))


@router.patch(
    "/state",
    summary="Change a session's state",
    responses={**_STATE, **problems(413, 415)},
    openapi_extra=request_of(
        "StateDiff",
        add={"facts": ["Ada is on the Pro plan.", "She pays by invoice."]},
        change={"facts": {"id": "F_001", "text": "Ada is on the Team plan."}},
        remove={"facts": {"id": "F_001", "text": ""}},
    ),
)
def change_state(
    state: TheState, owner: Caller, session_id: str, diff: Annotated[StateDiff, Depends(json_body(StateDiff))]
) -> JSONResponse:
    """Change global state item by item: all of the changes, or none if one of them cannot be made."""
    return JSONResponse(state.change(session_id, diff.root, owner=owner))


@router.delete("/state", summary="Reset a session's state", responses=_STATE)
def reset_state(state: TheState, owner: Caller, session_id: str) -> JSONResponse:
    """Forget all items. Their ids are not given again."""
    return JSONResponse(state.reset(session_id, owner=owner))
