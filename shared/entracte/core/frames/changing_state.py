"""Applying state diffs to the two documents that hold state: the session (global) and the frame (local)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from entracte.core.addresses import session_path
from entracte.core.blueprint import Blueprint
from entracte.core.documents.frame import Frame
from entracte.core.documents.journal import EventRecord
from entracte.core.documents.session import Session
from entracte.core.events import record
from entracte.core.outcome import Put
from entracte.core.state import Applied, Drawer, Refused, Scope, apply_diff


class ChangedState(Struct, frozen=True, kw_only=True):
    """Session and frame after the diffs.

    Attributes:
        session_puts: The session, when its state changed.
        applied: Something changed.
        refused: What was not applied, in words for the agent.
        events: ``state.updated``, when anything was applied or refused.
    """

    session: Session
    frame: Frame
    session_puts: tuple[Put, ...]
    applied: bool
    refused: tuple[str, ...]
    events: tuple[EventRecord, ...]


def change_state(
    blueprint: Blueprint,
    session: Session,
    frame: Frame,
    diffs: Sequence[Mapping[str, Any]],
    *,
    why: str = "",
    also_refused: Sequence[Refused] = (),
) -> ChangedState:
    """Apply diffs one after the other. What one of them gets wrong costs nothing of the rest.

    Args:
        why: What the journal says of it, where neither agent, tool nor person asked for the change.
        also_refused: Changes that were refused before they became a diff.
    """
    state: Mapping[str, Drawer] = {**session.state, **frame.local}
    applied: list[Applied] = []
    refused = [*also_refused]
    for diff in diffs:
        done = apply_diff(state, diff, blueprint.state)
        state = done.state
        applied += done.applied
        refused += done.refused
    scopes = {change.scope for change in applied}
    after_session = (
        session.evolve(state=_of_scope("global", state, blueprint, session.state)) if "global" in scopes else session
    )
    after_frame = frame.evolve(local=_of_scope("local", state, blueprint, frame.local)) if "local" in scopes else frame
    said = {"why": why} if why else {}
    event = record("state.updated", applied=to_builtins(applied), refused=to_builtins(refused), **said)
    return ChangedState(
        session=after_session,
        frame=after_frame,
        session_puts=(Put(session_path(session.id), after_session),) if "global" in scopes else (),
        applied=bool(applied),
        refused=tuple(f"State not changed: {r.message}" for r in refused),
        events=(event,) if applied or refused else (),
    )


def and_then(blueprint: Blueprint, before: ChangedState, diff: Mapping[str, Any], *, why: str) -> ChangedState:
    """One more change in the same commit, told as an event of its own."""
    after = change_state(blueprint, before.session, before.frame, [diff], why=why)
    return replace(
        after,
        session_puts=after.session_puts or before.session_puts,
        applied=before.applied or after.applied,
        refused=(*before.refused, *after.refused),
        events=(*before.events, *after.events),
    )


def _of_scope(
    scope: Scope, state: Mapping[str, Drawer], blueprint: Blueprint, before: Mapping[str, Drawer]
) -> dict[str, Drawer]:
    """The drawers of a scope. A key that the network no longer declares stays where it was, as it was."""
    undeclared = {name: drawer for name, drawer in before.items() if name not in blueprint.state}
    declared = {name for name, key in blueprint.state.items() if key.scope == scope}
    return undeclared | {name: drawer for name, drawer in state.items() if name in declared}
