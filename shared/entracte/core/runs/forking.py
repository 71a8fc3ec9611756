"""Forking a run: a new run, in a copy of its session, begins where a step of its root frame began."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from entracte.core.addresses import frame_path, run_path, session_path, turn_path
from entracte.core.budget import Share
from entracte.core.conversation.window import LATEST, OPENING
from entracte.core.documents.frame import Frame
from entracte.core.documents.line import line_of
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session, Turn
from entracte.core.due import PHASE_DUE, plan_message
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.changing_state import change_state
from entracte.core.outcome import Outcome, Put
from entracte.core.payload import digest
from entracte.core.runs.boundary import Boundary, boundary_of
from entracte.core.situation import Situation
from entracte.errors import InvalidInput

TAKEN_BACK = "The changes of the earlier steps have been taken back since. Look before you rely on them."
"""What the agent of a fork is told when the run that it comes from was undone."""


class ForkRequest(Struct, frozen=True, kw_only=True):
    """What a caller asks for.

    Attributes:
        run: Run that is forked.
        at: Step that the fork begins with, from 1.
        state: Diff that is applied to the state before it begins.
    """

    run: str
    at: int
    state: Mapping[str, Any] = {}

    @property
    def digest(self) -> str:
        """Tells a retry from another request under the same key."""
        return digest({"fork": self.run, "at": self.at, "state": dict(self.state)})


def turns_wanted(source: Run, boundary: Boundary) -> tuple[str, ...]:
    """Paths of the turns that the new session begins with: the first and the latest."""
    there = range(1, boundary.turns + 1)
    wanted = dict.fromkeys((*there[:OPENING], *there[-LATEST:]))
    return tuple(turn_path(source.session, number) for number in wanted)


def fork_run(
    s: Situation, request: ForkRequest, source: Run, boundary: Boundary, turns: tuple[Turn, ...], *, run_id: str
) -> Outcome:
    """The new run, its root frame and session, and its first message.

    Nothing of the old run is copied but what the step began with: calls made before it are not made again and not
    undone with it, and no gate of it approves anything here.

    Args:
        turns: Of the old session, oldest first.

    Raises:
        InvalidInput: The network has no such agent any more, or the diff does not fit the state.
    """
    if s.agent(source.agent) is None:
        raise InvalidInput(f"Agent {source.agent!r} is no longer part of the network.", code="unknown_agent")
    session_id = f"{run_id}-session"
    lines = tuple(line_of(turn.role, turn.text, turn.did) for turn in turns)
    session = Session(
        id=session_id, owner=source.owner, state=boundary.state, turns=boundary.turns, created=s.now, updated=s.now
    ).evolve(window=lines, expires=s.kept_until)
    told = (TAKEN_BACK,) if source.undo is not None and source.undo.reverted else ()
    frame = Frame(
        id=run_id,
        run=run_id,
        session=session_id,
        owner=source.owner,
        agent=source.agent,
        cursor=boundary.cursor,
        input=source.input,
        local=boundary.local,
        disabled_tools=boundary.disabled_tools,
        disabled_agents=boundary.disabled_agents,
        feedback=(*boundary.feedback, *told),
        exchanges=boundary.exchanges,
        repeats=boundary.repeats,
        stage=boundary.stage,
        carried=boundary.carried,
        share=Share.whole(source.limits),
        moved=s.now,
        due=s.now + PHASE_DUE,
        worker=s.worker,
    )
    changed = change_state(s.blueprint, session, frame, [request.state] if request.state else [])
    if changed.refused:
        raise InvalidInput(" ".join(changed.refused), pointer="/state", code="state_refused")
    run = Run(
        id=run_id,
        owner=source.owner,
        session=session_id,
        network=s.blueprint.name,
        network_version=s.blueprint.version,
        agent=source.agent,
        input=source.input,
        models=source.models,
        limits=source.limits,
        cost_bound=source.cost_bound,
        metadata=source.metadata,
        time_zone=source.time_zone,
        request_digest=request.digest,
        forked_from=source.id,
        forked_at=request.at,
        created=s.now,
        updated=s.now,
    )
    started = record(
        "run.started",
        agent=run.agent,
        input=run.input.value,
        session=session_id,
        network=run.network,
        forked_from=source.id,
        forked_at=request.at,
    )
    entry = frame_entry(s, changed.frame, "started", phase="start", events=(started, *changed.events))
    copies = (turn.evolve(session=session_id, text=line.text) for turn, line in zip(turns, lines, strict=True))
    return Outcome(
        puts=(
            Put(run_path(run_id), run),
            Put(frame_path(run_id, run_id), changed.frame),
            Put(session_path(session_id), changed.session),
            *(Put(turn_path(session_id, turn.number), turn) for turn in copies),
        ),
        entry=entry.evolve(boundary=boundary_of(changed.frame, changed.session)),
        messages=(plan_message(changed.frame, step=boundary.cursor.step),),
    )
