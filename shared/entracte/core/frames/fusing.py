"""Fused agents: the judging of a step names the calls of the next one, and its plan asks no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.frames.calling import call_next
from entracte.core.frames.spending import exhausted, scarce
from entracte.core.modelling import ModelReply, WantedCall
from entracte.core.outcome import Outcome
from entracte.core.payload import Payload
from entracte.core.situation import Situation


def planned_by(s: Situation, run: Run, frame: Frame, judged: Mapping[str, Any], *, troubled: bool) -> Payload | None:
    """The calls that the judging has named; None where the agent had better look at the state anew.

    Args:
        troubled: There is something that the agent has not been told yet, such as a failed call.
    """
    named = judged.get("next")
    return Payload.of(named) if named and not troubled and not scarce(run, frame, s.now) else None


def as_planned(s: Situation, run: Run, frame: Frame) -> Outcome | None:
    """The step with these calls; None where there are none, or nothing is left to go on with."""
    if frame.planned is None or exhausted(s, run, frame):
        return None
    calls = tuple(WantedCall(call["tool"], call["arguments"]) for call in frame.planned.value)
    return call_next(s, run, frame.evolve(planned=None), ModelReply(calls=calls))
