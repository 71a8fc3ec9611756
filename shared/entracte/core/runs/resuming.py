"""Resuming a stalled run: its frames are due again, and what they call for is sent."""

from __future__ import annotations

from collections.abc import Iterable

from entracte.core.addresses import action_path, frame_path, frames_around, gate_path, run_path, step_actions
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE, due_messages
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.stalling import revived
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation
from entracte.errors import Conflict

FRAMES_A_COMMIT = 20
"""Frames that one commit brings forward; the run counts as stalled until the last of them moves."""


def frames_wanted(run: Run) -> tuple[str, ...]:
    """Paths of the run, of the frames that are resumed next, and of those around them."""
    ids = dict.fromkeys((run.id, *(outer for id in run.stalled[:FRAMES_A_COMMIT] for outer in frames_around(id))))
    ids |= dict.fromkeys(run.stalled[:FRAMES_A_COMMIT])
    return run_path(run.id), *(frame_path(run.id, id) for id in ids)


def calls_wanted(frames: Iterable[Frame]) -> tuple[str, ...]:
    """Paths of the calls that these frames are at, and of the frames that the calls opened."""
    return tuple(path for frame in frames for id in calls_of(frame) for path in _call_paths(frame.run, id))


def gates_wanted(actions: Iterable[Action]) -> tuple[str, ...]:
    """Paths of the gates that calls wait at."""
    return tuple(gate_path(action.gate) for action in actions if action.awaits_person and action.gate)


def calls_of(frame: Frame) -> tuple[str, ...]:
    """Ids of the calls that a frame is at."""
    return step_actions(frame.id, frame.cursor.step, frame.calls) if frame.cursor.phase == "execute" else ()


def resume_run(s: Situation, run: Run, *, by: str) -> Outcome:
    """Bring the next of its stalled frames forward.

    Raises:
        Conflict: The run is not stalled.
    """
    if run.status != "stalled":
        remedy = "A failed run goes on with retry." if run.status == "failed" else "Nothing needs to be resumed."
        raise Conflict(f"Run {run.id} is {run.status}, not stalled.", remedy=remedy, code="not_stalled")
    ids = run.stalled[:FRAMES_A_COMMIT]
    root = s.docs.frame(run.id, run.id)
    if root is None:
        raise Conflict(f"The root frame of run {run.id} is not there.", remedy="Start it again.", code="frame_lost")
    frames = [frame for id in ids if (frame := s.docs.frame(run.id, id)) is not None]
    gates = [gate for frame in frames for gate in _open_gates(s, frame)]
    return Outcome(
        puts=(*revived(s, run, ids), *(Put(gate_path(gate.id), _due_again(s, gate)) for gate in gates)),
        entry=frame_entry(
            s,
            root,
            f"{root.cursor.step}.resumed.{run.rev}",
            phase="resume",
            events=(record("run.resumed", how="resume", by=by, frames=list(ids)),),
        ),
        messages=(
            *(message for frame in frames for message in _messages(s, frame)),
            *(Message(kind="approve", run=run.id, session=run.session, gate=gate.id) for gate in gates),
        ),
    )


def _messages(s: Situation, frame: Frame) -> tuple[Message, ...]:
    ids = calls_of(frame)
    children = {id: child for id in ids if (child := s.docs.frame(frame.run, id)) is not None}
    armed = frame.evolve(due=s.now)  # an ended child tells its parent only while it is due
    light = s.blueprint.is_light(frame.agent)
    return due_messages(armed, s.docs.actions(frame.run, ids), children, light=light, now=s.now)


def _open_gates(s: Situation, frame: Frame) -> tuple[Gate, ...]:
    actions = s.docs.actions(frame.run, calls_of(frame))
    found = (s.docs.gate(action.gate) for action in actions if action.awaits_person)
    return tuple(gate for gate in found if gate is not None and gate.waiting)


def _due_again(s: Situation, gate: Gate) -> Gate:
    """Looked at anew, whoever could not be told of it before."""
    return gate.evolve(due=s.now + PHASE_DUE, z=gate.z.evolve(sweeps=0))


def _call_paths(run: str, action: str) -> tuple[str, str]:
    return action_path(run, action), frame_path(run, action)
