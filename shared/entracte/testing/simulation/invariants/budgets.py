"""Budgets are never exceeded, but for the tokens of calls in flight."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.testing.simulation.moment import Invariant, Moment


def _hold(moment: Moment) -> Iterator[str]:
    if moment.kind == "model":
        yield from _asked(moment)
    for _, frame in moment.moves(Frame):
        run, agent = moment.run(frame.run), moment.blueprint.agents.get(frame.agent)
        if min(frame.share.actions, frame.share.writes) < 0:
            yield f"frame {frame.id} has promised more calls than it was given"
        if run is not None and (frame.depth > run.limits.depth or frame.calls > run.limits.parallel_calls):
            yield f"frame {frame.id} has depth {frame.depth} and {frame.calls} calls in a step"
        if agent is not None and frame.cursor.step > agent.max_steps:
            yield f"frame {frame.id} is at step {frame.cursor.step} of {agent.max_steps}"
    for run_id in {action.run for _, action in moment.moves(Action)}:
        run = moment.run(run_id)
        calls = [action for action in moment.of(Action) if action.run == run_id and action.attempt]
        writes = sum(action.kind == "tool" and action.effect == "changing" for action in calls)
        if run is not None and (len(calls) > run.limits.actions or writes > run.limits.writes):
            yield f"run {run_id} has made {len(calls)} calls and {writes} changes"


def _asked(moment: Moment) -> Iterator[str]:
    """A model is asked only while tokens and money are left, as far as the frame knows."""
    request = moment.request
    assert request is not None
    frame = moment.frame(request.run, request.frame)
    if frame is None or frame.ended or frame.cursor.step != request.step or request.purpose == "evaluate":
        return
    if frame.share.tokens <= 0 or frame.share.cost_micro_usd <= 0:
        yield f"frame {frame.id} asks a model with {frame.share.tokens} tokens left"


BUDGETS_HOLD = Invariant(
    "budgets hold", "Calls, changes, steps, depth and width stay within limits; at none left no model is asked.", _hold
)
