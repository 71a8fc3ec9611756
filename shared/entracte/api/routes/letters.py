"""Routes of letters: messages that nobody could read, for operators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import JSONResponse

from entracte.api.requests.access import Operator, TheEngine
from entracte.api.requests.cursors import decode_cursor, encode_cursor
from entracte.api.requests.parameters import Cursor, Limit
from entracte.api.routes.described import answer_of, problems
from entracte.runtime.upkeep.letters import drop_letter, list_letters

router = APIRouter(prefix="/v1/letters", tags=["upkeep"], responses=problems(403, 422, 500, 503))


@router.get("", summary="List letters", responses={200: answer_of("LetterPage", "A page.")})
def read_letters(engine: TheEngine, operator: Operator, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """Messages that nobody could read, the one that came last first. For operators; without what is in them."""
    page = list_letters(engine.repository, limit=limit, after=decode_cursor(cursor, of="letters"))
    return JSONResponse({"items": page.items, "next_cursor": encode_cursor(page.after, of="letters")})


@router.delete(
    "/{letter}", summary="Drop a letter", responses={200: answer_of("LetterAnswer", "As it was."), **problems(404)}
)
def delete_letter(
    engine: TheEngine, operator: Operator, letter: Annotated[str, Path(max_length=64, description="Id of a letter.")]
) -> JSONResponse:
    """Delete one that has been seen to. For operators."""
    return JSONResponse(drop_letter(engine.repository, letter))
