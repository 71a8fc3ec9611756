"""What the routes are given: the runtime, the caller, and the patience of those who wait."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Annotated, cast

from fastapi import Depends, Query, Request
from starlette.concurrency import run_in_threadpool

from entracte.api.waiting import Patience
from entracte.core.blueprint import Blueprint
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.gates.people import person
from entracte.core.identity.identity import Identity
from entracte.core.identity.issuers import IAP_HEADER
from entracte.errors import Forbidden
from entracte.ports.shelf import Shelf
from entracte.runtime.compose import Runtime
from entracte.runtime.doors.callers import Identify
from entracte.runtime.doors.rates import Throttle
from entracte.runtime.engine.engine import Engine
from entracte.runtime.services.gates import Gates
from entracte.runtime.services.linked_gates import LinkedGates
from entracte.runtime.services.owners import owner_of
from entracte.runtime.services.runs import Runs
from entracte.runtime.services.session_state import SessionState
from entracte.runtime.tool_contexts import OpenMemories
from entracte.runtime.watching.run_events import RunEvents

log = logging.getLogger("entracte")


@asynccontextmanager
async def _admitted(request: Request) -> AsyncIterator[Identity]:
    """Whoever sends the request, until it has been answered."""
    identify = cast(Identify, request.app.state.identify)
    who = await run_in_threadpool(identify, request)
    with cast(Throttle, request.app.state.throttle).admit(who.name):
        yield who


async def _identity(request: Request) -> AsyncIterator[Identity]:
    async with _admitted(request) as who:
        yield who


Who = Annotated[Identity, Depends(_identity)]
"""Who makes the request."""


async def _maybe_identity(request: Request) -> AsyncIterator[Identity | None]:
    carried = "authorization" in request.headers or IAP_HEADER in request.headers
    async with _admitted(request) if carried else nullcontext() as who:
        yield who


MaybeWho = Annotated[Identity | None, Depends(_maybe_identity)]
"""Who makes the request, if it carries a proof; a proof that does not hold is refused."""


def _caller(request: Request, who: Who) -> str:
    """An operator asks for others' things in their name. The service then treats both alike."""
    if not who.operator:
        return who.name
    owner = owner_of(_runtime(request).engine.repository, request.path_params)
    return _in_the_name_of(owner, who, request)


def _listed(
    request: Request,
    who: Who,
    owner: Annotated[str, Query(max_length=400, description="Whose, for operators; the caller's own by default.")] = "",
) -> str:
    if owner and person(owner) != who.name and not who.operator:
        raise Forbidden(
            "Only operators list what is somebody else's.", remedy="Leave owner out.", code="not_an_operator"
        )
    return _in_the_name_of(person(owner), who, request)


def _in_the_name_of(owner: str, who: Identity, request: Request) -> str:
    """The owner, or whoever asks where there is none. An operator does not act unseen."""
    if owner and owner != who.name:
        log.info("operator_asks operator=%s owner=%r request_id=%s", who.name, owner, request.state.request_id)
    return owner or who.name


def _operator(who: Who) -> str:
    if not who.operator:
        raise Forbidden(
            "Only operators may do this.",
            remedy="Ask whoever runs the deployment; ENTRACTE_OPERATORS names them.",
            code="not_an_operator",
        )
    return who.name


# Coroutines, because FastAPI takes a thread for each dependency that is a function.


async def _patience(request: Request) -> Patience:
    return cast(Patience, request.app.state.patience)


async def _runs(request: Request) -> Runs:
    return _runtime(request).runs


async def _state(request: Request) -> SessionState:
    return _runtime(request).state


async def _gates(request: Request) -> Gates:
    return _runtime(request).gates


async def _links(request: Request) -> LinkedGates:
    return _runtime(request).links


async def _memories(request: Request) -> OpenMemories:
    return _runtime(request).open_memories


async def _events(request: Request) -> RunEvents:
    return _runtime(request).events


async def _engine(request: Request) -> Engine:
    return _runtime(request).engine


async def _blueprint(request: Request) -> Blueprint:
    return _runtime(request).network.blueprint


def _runtime(request: Request) -> Runtime:
    return cast(Runtime, request.app.state.runtime)


Caller = Annotated[str, Depends(_caller)]
"""Owner in whose name the request is made: the caller, or for operators whoever owns the run or session in the path."""

ListedOwner = Annotated[str, Depends(_listed)]
"""Owner of what is listed: the caller, or for operators whom they name."""

Operator = Annotated[str, Depends(_operator)]
"""Who makes the request, and is an operator."""

TheRuns = Annotated[Runs, Depends(_runs)]


def _run(runs: TheRuns, owner: Caller, run_id: str) -> Run:
    return runs.get(run_id, owner=owner)


def _session(runs: TheRuns, owner: Caller, session_id: str) -> Session:
    return runs.session(session_id, owner=owner)


TheRun = Annotated[Run, Depends(_run)]
"""The run in the path, which is the caller's."""

TheSession = Annotated[Session, Depends(_session)]
"""The session in the path, which is the caller's."""


def _shelf(request: Request, session: TheSession) -> Shelf:
    return _runtime(request).open_shelf(session.id, session.owner)


TheShelf = Annotated[Shelf, Depends(_shelf)]
"""Artifacts of that session, and those that its owner's sessions share."""

TheEvents = Annotated[RunEvents, Depends(_events)]
TheEngine = Annotated[Engine, Depends(_engine)]
TheGates = Annotated[Gates, Depends(_gates)]
TheLinks = Annotated[LinkedGates, Depends(_links)]
TheMemories = Annotated[OpenMemories, Depends(_memories)]
TheState = Annotated[SessionState, Depends(_state)]
TheBlueprint = Annotated[Blueprint, Depends(_blueprint)]
ThePatience = Annotated[Patience, Depends(_patience)]
