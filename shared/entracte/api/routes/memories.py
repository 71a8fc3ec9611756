"""Routes of long-term memory, for the owner: what is remembered of them is theirs to read, take along and delete."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.responses import JSONResponse

from entracte.api.requests.access import ListedOwner, TheMemories
from entracte.api.requests.cursors import decode_cursor, encode_cursor
from entracte.api.requests.parameters import Cursor, Limit
from entracte.api.routes.described import answer_of, problems
from entracte.core.memory.record import record_of

router = APIRouter(prefix="/v1/memories", tags=["memories"], responses=problems(403, 404, 422, 500, 503))

_MEMORY: dict[int | str, dict[str, Any]] = {200: answer_of("MemoryAnswer", "The memory.")}

MemoryId = Annotated[str, Path(max_length=40, description="Id of a memory.")]


@router.get("", summary="List memories", responses={200: answer_of("MemoryPage", "A page.")})
def list_memories(memories: TheMemories, owner: ListedOwner, cursor: Cursor = None, limit: Limit = 100) -> JSONResponse:
    """What is remembered of the caller, the latest first."""
    of = f"memories\0{owner}"
    page = memories(owner).page(limit=limit, after=decode_cursor(cursor, of=of))
    return JSONResponse(
        {
            "items": [record_of(item) for item in page.items],
            "next_cursor": encode_cursor(page.after, of=of),
            "unreadable": page.unreadable,
        }
    )


@router.get("/export", summary="Export memories", responses={200: answer_of("MemoryExport", "All of them.")})
def export_memories(memories: TheMemories, owner: ListedOwner) -> JSONResponse:
    """Everything that is remembered of the caller, as a file to keep."""
    found = memories(owner).everything()
    return JSONResponse(
        {"owner": owner, "memories": [record_of(item) for item in found.items], "unreadable": found.unreadable},
        headers={"Content-Disposition": 'attachment; filename="memories.json"'},
    )


@router.delete("", summary="Forget everything", responses={200: answer_of("Forgotten", "How many there were.")})
def forget_memories(memories: TheMemories, owner: ListedOwner) -> JSONResponse:
    """Delete all that is remembered of the caller, for good."""
    return JSONResponse({"forgotten": memories(owner).forget_all()})


@router.get("/{memory}", summary="Read a memory", responses=_MEMORY)
def read_memory(memories: TheMemories, owner: ListedOwner, memory: MemoryId) -> JSONResponse:
    """One memory of the caller."""
    return JSONResponse(record_of(memories(owner).get(memory)))


@router.delete("/{memory}", summary="Forget a memory", responses={200: answer_of("MemoryAnswer", "As it was.")})
def forget_memory(memories: TheMemories, owner: ListedOwner, memory: MemoryId) -> JSONResponse:
    """Delete one for good; the answer is the last that there is of it."""
    return JSONResponse(record_of(memories(owner).forget(memory)))
