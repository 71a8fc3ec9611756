"""What a frame has used, and whether anything is left."""

from __future__ import annotations

from datetime import datetime, timedelta

from entracte.core.budget import Limits, Share, spend
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.modelling import Usage
from entracte.core.situation import Situation


def charge(frame: Frame, usage: Usage) -> Frame:
    """The frame after a model call."""
    return frame.evolve(usage=frame.usage + usage, share=frame.share.minus(spend(usage)))


def cost_of(action: Action) -> Share:
    """What a call takes from a share when it is planned."""
    return Share(actions=1, writes=1 if action.effect == "changing" and action.kind == "tool" else 0)


def shortage(left: Share, cost: Share, limits: Limits) -> str:
    """Why a call of this cost cannot be made, in words for the agent, or an empty string."""
    if left.actions < cost.actions:
        return f"The run may make no more calls (limit {limits.actions})."
    if left.writes < cost.writes:
        return f"The run may make no more changes (limit {limits.writes})."
    return ""


def exhausted(s: Situation, run: Run, frame: Frame) -> str:
    """What has been used up, in words, or an empty string. Counts of calls are checked call by call."""
    for name in ("tokens", "cost_micro_usd"):
        if getattr(frame.share, name) <= 0:
            return f"{name} (limit {getattr(run.limits, name):,} for the run)"
    if _spent(run, s.now) > timedelta(seconds=run.limits.wall_s):
        return f"wall_s (limit {run.limits.wall_s:,} s)"
    return ""


def scarce(run: Run, frame: Frame, now: datetime) -> tuple[str, ...]:
    """What is nearly used up, by name: no more than a fifth of it is left."""
    used = spend(frame.usage)
    of_share = (n for n in ("tokens", "cost_micro_usd") if 0 < getattr(frame.share, n) * 4 <= getattr(used, n))
    is_late = _spent(run, now) * 5 >= timedelta(seconds=run.limits.wall_s) * 4
    return (*of_share, *(("wall_s",) if is_late else ()))


def _spent(run: Run, now: datetime) -> timedelta:
    """Time since the run began, but for what it waited for people."""
    waited = timedelta(milliseconds=run.parked_ms) + (now - run.parked if run.parked is not None else timedelta())
    return now - run.created - waited
