"""A pipeline's frame: no model plans it. Each step is one stage, until there is none left.

Where it stands is in the frame (`stage`, `carried`), so that a failed stage is tried again without those before it.
Functions of the author's are an effect like any other: done outside, their result committed, nothing replayed.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from entracte.core.addresses import step_actions
from entracte.core.asking.bare_message import bare_message
from entracte.core.asking.reply_notes import answer_faults
from entracte.core.blueprint import AgentSpec
from entracte.core.budget import Share
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run, StopReason
from entracte.core.documents.session import Session
from entracte.core.effects import Shaped, ShapeStage
from entracte.core.frames.absorbing import absorb
from entracte.core.frames.calling import begin_step
from entracte.core.frames.ending import end_frame
from entracte.core.frames.proposing import propose
from entracte.core.frames.spending import exhausted, shortage
from entracte.core.modelling import WantedCall
from entracte.core.outcome import Outcome
from entracte.core.payload import Payload
from entracte.core.pipelines.task import filled
from entracte.core.runs.boundary import boundary_of
from entracte.core.situation import Situation
from entracte.errors import InvalidInput, TerminalError


class _Place(Struct, frozen=True, kw_only=True):
    """Where a pipeline stands, with its last stage's call taken in.

    Attributes:
        frame: At the step that follows.
        result: Of the last stage, or what the pipeline was asked with.
        taken: The stage that has just ended; None at the start, and where its result was taken in before.
        failure: Why the last stage has no result; empty if it has one.
    """

    frame: Frame
    result: Any
    taken: int | None = None
    failure: str = ""


def advance(s: Situation, run: Run, frame: Frame, session: Session) -> ShapeStage | Outcome:
    """The next stage's call, the pipeline's end, or the functions that have to be run before."""
    place = _place_of(s, frame)
    if place.failure:
        return _end(s, run, place.frame, session, reason="error", error=place.failure)
    pipeline = s.blueprint.agents[frame.agent]
    shaping = _shaping(pipeline, place)
    return shaping or _go_on(s, run, place, session, Shaped(result=place.result))


def shaped(s: Situation, run: Run, frame: Frame, session: Session, result: Shaped | TerminalError) -> Outcome:
    """The same, with what the author's functions made of it."""
    place = _place_of(s, frame)
    if isinstance(result, TerminalError):
        return _end(s, run, _untransformed(place), session, reason="error", error=str(result))
    return _go_on(s, run, place, session, result)


def _place_of(s: Situation, frame: Frame) -> _Place:
    if frame.cursor.phase != "execute":
        result = _asked(frame) if frame.carried is None else frame.carried.value
        return _Place(frame=frame, result=result, taken=frame.stage - 1 if frame.untransformed else None)
    (action,) = s.docs.actions(frame.run, step_actions(frame.id, frame.cursor.step, frame.calls))
    after = absorb(frame, (action,), s.agent(frame.agent)).frame
    after = after.evolve(cursor=Cursor(step=frame.cursor.step + 1, phase="plan"), calls=0)
    if action.status != "applied" or action.result is None:
        why = f"Stage {frame.stage + 1}, {action.tool}, {action.status}: {action.error}"
        return _Place(frame=after, result=None, failure=why)
    return _Place(frame=after.evolve(stage=frame.stage + 1), result=action.result.value, taken=frame.stage)


def _asked(frame: Frame) -> Any:
    return bare_message(frame.input.value)


def _shaping(pipeline: AgentSpec, place: _Place) -> ShapeStage | None:
    """The functions that come next, if the author gave any."""
    stages, ahead = pipeline.stages, place.frame.stage
    transform = place.taken is not None and place.taken < len(stages) and stages[place.taken].transformed
    task = ahead < len(stages) and stages[ahead].computed
    if not transform and not task:
        return None
    return ShapeStage(
        pipeline=pipeline.name,
        transform=place.taken if transform else None,
        task=ahead if task else None,
        result=place.result,
    )


def _go_on(s: Situation, run: Run, place: _Place, session: Session, made: Shaped) -> Outcome:
    pipeline = s.blueprint.agents[place.frame.agent]
    try:
        frame = place.frame.evolve(carried=Payload.of(made.result), untransformed=False)
    except InvalidInput as error:
        return _end(s, run, _untransformed(place), session, reason="error", error=f"The result cannot be kept: {error}")
    if frame.stage >= len(pipeline.stages):
        return _answer(s, run, frame, session, pipeline)
    if limit := exhausted(s, run, frame):
        return _end(s, run, frame, session, reason="budget", error=f"Budget used up: {limit}.")
    if short := shortage(frame.share, Share(actions=1), run.limits):
        return _end(s, run, frame, session, reason="budget", error=short)
    stage = pipeline.stages[frame.stage]
    try:
        known = {"result": made.result, "input": _asked(frame)}
        task = made.task if stage.computed else filled(stage.task, known)
    except InvalidInput as error:
        return _end(s, run, frame, session, reason="error", error=f"Task of stage {frame.stage + 1}: {error}")
    wanted = WantedCall(stage.agent, {"message": task} if isinstance(task, str) else task)
    (action,), left = propose(s, run, frame, [wanted])
    action, left = _with_share(action, left, stages_left=len(pipeline.stages) - frame.stage)
    outcome = begin_step(s, run, frame, (action,), left)
    assert outcome.entry is not None
    return replace(outcome, entry=outcome.entry.evolve(boundary=boundary_of(frame, session)))


def _untransformed(place: _Place) -> Frame:
    """The frame with the last stage's result as it came: a retry transforms it, once the function is mended."""
    return place.frame.evolve(carried=Payload.of(place.result), untransformed=place.taken is not None)


def _with_share(action: Action, left: Share, *, stages_left: int) -> tuple[Action, Share]:
    """An equal part for each stage that is left, the last one's all of it: the pipeline itself spends nothing."""
    if action.share is None:
        return action, left
    whole = left.plus(action.share)
    part = whole.cut(stages_left)
    return action.evolve(share=part), whole.minus(part)


def _answer(s: Situation, run: Run, frame: Frame, session: Session, pipeline: AgentSpec) -> Outcome:
    """The last result is the answer, if it is one."""
    assert frame.carried is not None
    value = frame.carried.value
    unfit = answer_faults(pipeline, value) if pipeline.output is not None or value is None else ""
    if unfit:
        return _end(s, run, frame, session, reason="error", error=f"The last stage's result is no answer: {unfit}")
    return _end(s, run, frame, session, reason="answered", value=value)


def _end(
    s: Situation, run: Run, frame: Frame, session: Session, *, reason: StopReason, value: Any = None, error: str = ""
) -> Outcome:
    move = f"{frame.cursor.step}.plan"
    return end_frame(s, run, frame, session, reason=reason, value=value, error=error, move=move, phase="plan")
