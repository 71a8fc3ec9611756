"""What the owner of a simulation's one run does with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from entracte.core.documents.base import Document
from entracte.core.documents.run import Run
from entracte.core.messages import Message
from entracte.core.runs.starting import RunRequest
from entracte.errors import Conflict
from entracte.runtime.compose import Runtime
from entracte.runtime.engine.giving_up import give_up
from entracte.runtime.services.going_on import resume

OWNER = "owner"


def start(runtime: Runtime, message: Any) -> object:
    """Start it, as a client does who gives it a key."""
    value = {"message": message} if isinstance(message, str) else message
    return runtime.runs.start(RunRequest(input=value, session="session"), owner=OWNER, idempotency_key="key")


def run_among(documents: Mapping[str, Document]) -> Run | None:
    """The run, once it is there."""
    return next((found for found in documents.values() if isinstance(found, Run)), None)


def acting(act: str, run: Run | None) -> Callable[[Runtime], object]:
    """What a process does for the owner: ``cancel``, ``undo``, ``replan`` (an undo that resolves inverses again) or
    ``resume``.
    """
    if run is None:
        return lambda runtime: "there is no run yet"
    match act:
        case "cancel":
            return lambda runtime: runtime.runs.cancel(run.id, owner=OWNER)
        case "undo" | "replan":
            return partial(
                _unless_refused, lambda runtime: runtime.runs.undo(run.id, owner=OWNER, replan=act == "replan")
            )
        case "resume":
            return partial(
                _unless_refused, lambda runtime: resume(runtime.engine, runtime.runs.get(run.id, owner=OWNER), by=OWNER)
            )
        case _:
            raise ValueError(f"Nobody does {act!r}.")


def given_up(message: Message) -> Callable[[Runtime], object]:
    """What becomes of a message that came back too often: its run stalls."""
    return lambda runtime: give_up(runtime.engine, message, "It came back too often.")


def _unless_refused(act: Callable[[Runtime], object], runtime: Runtime) -> object:
    try:
        return act(runtime)
    except Conflict as refused:
        return refused.code
