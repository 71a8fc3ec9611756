"""What a decided gate does: the action goes on or ends, and everything that was parked around it moves again."""

from __future__ import annotations

from entracte.core.actions.unmade import unmade
from entracte.core.addresses import action_path, frame_path, frames_around, run_path
from entracte.core.documents.action import Action, Inverse
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE, execute_message
from entracte.core.gates.voting import Counted
from entracte.core.outcome import Outcome, Put
from entracte.core.payload import Payload, digest
from entracte.core.policy.calling import inverse_of
from entracte.core.situation import Situation


def decided(s: Situation, run: Run, action: Action, counted: Counted) -> Outcome:
    """Move the action as the gate says. Execute makes the call; what has ended without one goes on from here."""
    moved = _moved(s, action, counted)
    return Outcome(
        puts=(Put(action_path(run.id, action.id), moved), *moving_again(s, run, action)),
        verifies=woken(s, action),
        messages=() if moved.is_ended else (execute_message(moved),),
        more=moved.is_ended,
    )


def moving_again(s: Situation, run: Run, action: Action) -> tuple[Put, ...]:
    """Run and frames that were parked, with due dates. Whoever wakes a run arms it, so that nothing is lost.

    The commit verifies `woken`: what had not been parked yet may be parked at the same moment.
    """
    puts: list[Put] = []
    for frame_id in frames_around(action.id):
        frame = s.docs.frame(run.id, frame_id)
        if frame is not None and frame.parked:
            puts.append(
                Put(frame_path(run.id, frame_id), frame.evolve(due=s.now + PHASE_DUE, sweeps=0, worker=s.worker))
            )
    if run.status == "waiting":
        waited_ms = int((s.now - run.parked).total_seconds() * 1000) if run.parked is not None else 0
        awake = run.evolve(status="running", parked=None, parked_ms=run.parked_ms + waited_ms, updated=s.now)
        puts.append(Put(run_path(run.id), awake))
    return tuple(puts)


def woken(s: Situation, action: Action) -> tuple[str, ...]:
    """Paths of the run and the frames around an action, as far as they are there."""
    paths = (run_path(action.run), *(frame_path(action.run, frame) for frame in frames_around(action.id)))
    return tuple(path for path in paths if path in s.docs.by_path)


def _moved(s: Situation, action: Action, counted: Counted) -> Action:
    vote, gate = counted.vote, counted.gate
    reason = f" {vote.reason}" if vote.reason else ""
    match gate.status, gate.z.kind, vote.decision:
        case "approved", _, _:
            effective = Payload.of(dict(counted.arguments)) if counted.arguments is not None else action.effective
            assert effective is not None
            known = action.approved_kinds if counted.arguments is None else ()  # of other arguments nothing is known
            return action.evolve(
                status="approved",
                effective=effective,
                digest=digest(effective.value),
                approved_kinds=(*known, gate.z.kind),
                due=s.now + PHASE_DUE,
            )
        case "denied", _, _:
            return unmade(s, action, "denied", f"Denied by {vote.by}.{reason}")
        case "expired", _, _:
            return unmade(s, action, "expired", "Nobody decided in time.")
        case _, "question", _:
            return action.evolve(status="applied", result=Payload.of(vote.decision), started=s.now, ended=s.now)
        case _, _, "retry":
            return action.evolve(status="approved", error="", due=s.now + PHASE_DUE)
        case _, _, "happened":
            note = f"{vote.by} says that it happened.{reason}"
            return action.evolve(
                status="applied",
                error="",
                inverse=_inverse(s, action),
                warnings=(*action.warnings, note),
                ended=s.now,
            )
        case _:
            error = f"{action.error} {vote.by} gave up finding out.{reason}".strip()
            return action.evolve(given_up=True, error=error, ended=s.now)


def _inverse(s: Situation, action: Action) -> Inverse | None:
    """The call that takes back what happened without anybody seeing its result."""
    if (tool := s.blueprint.tools.get(action.tool)) is None:
        return None
    arguments = action.called_with.value
    return inverse_of(s.blueprint.policy.rule_for(tool), arguments, action.snapshot, None)
