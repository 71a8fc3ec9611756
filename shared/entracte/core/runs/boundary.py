"""Step boundaries: where the root frame stood before each step, kept in the journal so that a fork can begin there.

The journal's diffs would not do: other runs and sub-agents change the same session, retention deletes their journals,
and items have ids that must not be given again. So the entry of the move that leads to a step carries what the step
began with. Nothing is replayed.
"""

from __future__ import annotations

from typing import Any

from msgspec import convert

from entracte.core.addresses import entry_path
from entracte.core.documents.frame import Cursor, Exchange, Frame
from entracte.core.documents.journal import Entry
from entracte.core.documents.session import Session
from entracte.core.evolving import Evolving
from entracte.core.payload import Payload
from entracte.core.state import Drawer
from entracte.errors import InvalidInput


class Boundary(Evolving, frozen=True, kw_only=True):
    """What a step of the root frame begins with.

    Attributes:
        state: Global state.
        turns: Turns of the session so far.
        local: The agent's own state.
    """

    cursor: Cursor
    state: dict[str, Drawer]
    turns: int
    local: dict[str, Drawer]
    disabled_tools: tuple[str, ...]
    disabled_agents: tuple[str, ...]
    feedback: tuple[str, ...]
    exchanges: tuple[Exchange, ...]
    repeats: dict[str, int]
    stage: int = 0
    carried: Payload | None = None


def boundary_of(frame: Frame, session: Session) -> Payload | None:
    """What the frame's next step begins with; None below the root, and where it is too large to be kept.

    Args:
        frame: About to interpret or to plan.
    """
    if frame.parent or frame.cursor.phase not in ("interpret", "plan"):
        return None
    kept: dict[str, Any] = {name: getattr(frame, name) for name in Boundary.__struct_fields__ if hasattr(frame, name)}
    boundary = Boundary(state=session.state, turns=session.turns, **kept)
    try:
        return Payload.of_struct(boundary)
    except InvalidInput:  # a fork cannot begin here; the run goes on all the same
        return None


def boundary_paths(root: Frame, step: int) -> tuple[str, ...]:
    """Journal entries that may carry the boundary before a step, the latest last."""
    tries: tuple[str, ...] = ("", *(f".retry{number}" for number in range(1, root.retries + 1)))
    light = (f"{step}.{move}" for move in ("error", "plan.repair1", "plan"))  # its plan takes the step before in
    moves = ("started", *(("1.route",) if step == 1 else ()), f"{step - 1}.evaluate", *light)
    return tuple(entry_path(root.run, f"{root.id}.{move}{suffix}") for suffix in tries for move in moves)


def read_boundary(entry: Entry | None, step: int) -> Boundary | None:
    """The boundary before that step, if the entry carries it."""
    if entry is None or entry.boundary is None:
        return None
    boundary = convert(entry.boundary.value, Boundary)
    return boundary if boundary.cursor.step == step else None
