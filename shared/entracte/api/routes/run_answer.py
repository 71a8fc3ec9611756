"""A run as an answer: with what can be done with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.responses import JSONResponse

from entracte.api.waiting import is_settled
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.runtime.services.gates import Gates
from entracte.runtime.services.rendering import run_json

LOCATION = {"headers": {"Location": {"description": "Path of the run.", "schema": {"type": "string"}}}}
"""Describes the header of `answer_change`."""


def answer_run(run: Run, gates: Gates, *, status: int = 200, headers: dict[str, str] | None = None) -> JSONResponse:
    """A run with the gates that it waits for."""
    waiting = gates.of_run(run.id) if run.status == "waiting" else ()
    return JSONResponse(linked_json(run, waiting), status_code=status, headers=headers)


def answer_change(run: Run, gates: Gates) -> JSONResponse:
    """A run that was asked to do something: 202 while it goes on, 200 once it has ended."""
    return answer_run(run, gates, status=200 if is_settled(run) else 202, headers={"Location": _path(run)})


def answer_begun(run: Run, gates: Gates) -> JSONResponse:
    """A run that has been set going: 202, whether or not it has ended meanwhile."""
    return answer_run(run, gates, status=202, headers={"Location": _path(run)})


def linked_json(run: Run, gates: Iterable[Gate] = ()) -> dict[str, Any]:
    """A run as JSON, with links."""
    path = _path(run)
    links = {
        "self": path,
        "journal": f"{path}/journal",
        "events": f"{path}/events",
        "gates": f"/v1/gates?run={run.id}",
        "cancel": f"{path}/cancel",
        "undo": f"{path}/undo",
    }
    return run_json(run, gates) | {"links": links}


def _path(run: Run) -> str:
    return f"/v1/runs/{run.id}"
