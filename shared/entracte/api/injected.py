"""What the routes are given: the runtime, the caller, and the patience of those who wait."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from entracte.api.waiting import Patience
from entracte.core.blueprint import Blueprint
from entracte.runtime.compose import Runtime
from entracte.runtime.engine import Engine
from entracte.runtime.gates import Gates
from entracte.runtime.linked_gates import LinkedGates
from entracte.runtime.runs import Runs
from entracte.runtime.session_state import SessionState


def _caller(request: Request) -> str:
    return cast(str, request.app.state.identify(request))


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


async def _engine(request: Request) -> Engine:
    return _runtime(request).engine


async def _blueprint(request: Request) -> Blueprint:
    return _runtime(request).network.blueprint


def _runtime(request: Request) -> Runtime:
    return cast(Runtime, request.app.state.runtime)


Caller = Annotated[str, Depends(_caller)]
"""Owner in whose name the request is made."""

TheRuns = Annotated[Runs, Depends(_runs)]
TheEngine = Annotated[Engine, Depends(_engine)]
TheGates = Annotated[Gates, Depends(_gates)]
TheLinks = Annotated[LinkedGates, Depends(_links)]
TheState = Annotated[SessionState, Depends(_state)]
TheBlueprint = Annotated[Blueprint, Depends(_blueprint)]
ThePatience = Annotated[Patience, Depends(_patience)]
