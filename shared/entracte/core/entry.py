"""Journal entries of moves."""

from __future__ import annotations

from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.journal import Entry, EventRecord
from entracte.core.documents.run import Run
from entracte.core.modelling import Usage
from entracte.core.situation import Situation


def frame_entry(
    s: Situation,
    frame: Frame,
    move: str,
    *,
    phase: str,
    step: int | None = None,
    events: tuple[EventRecord, ...] = (),
    usage: Usage | None = None,
    served: str = "",
) -> Entry:
    """The entry of a move that a frame makes. `move` follows the frame's id: ``{frame}.{move}``.

    A retry makes moves of the same names again; they are told apart by its number.
    """
    return Entry(
        id=f"{frame.id}.{move}{f'.retry{frame.retries}' if frame.retries else ''}",
        run=frame.run,
        frame=frame.id,
        owner=frame.owner,
        agent=frame.agent,
        step=frame.cursor.step if step is None else step,
        phase=phase,
        at=s.now,
        events=events,
        usage=usage or Usage(),
        served=served,
    )


def run_entry(
    s: Situation,
    run: Run,
    move: str,
    *,
    phase: str,
    step: int = 0,
    events: tuple[EventRecord, ...] = (),
    usage: Usage | None = None,
    served: str = "",
) -> Entry:
    """The entry of a move that a run makes. `move` follows the run's id: ``{run}.{move}``."""
    return Entry(
        id=f"{run.id}.{move}",
        run=run.id,
        frame=run.id,
        owner=run.owner,
        agent=run.agent,
        step=step,
        phase=phase,
        at=s.now,
        events=events,
        usage=usage or Usage(),
        served=served,
    )


def action_entry(
    s: Situation,
    action: Action,
    move: str,
    *,
    phase: str = "execute",
    events: tuple[EventRecord, ...] = (),
    usage: Usage | None = None,
) -> Entry:
    """The entry of a move that an action makes. `move` follows the action's id: ``{action}.{move}``."""
    return Entry(
        id=f"{action.id}.{move}",
        run=action.run,
        frame=action.frame,
        owner=action.owner,
        agent=action.agent,
        step=action.step,
        phase=phase,
        at=s.now,
        events=events,
        usage=usage or Usage(),
    )
