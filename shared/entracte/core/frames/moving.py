"""A frame that has made a move: whoever handles the next message brings it forward, or else sweep does."""

from __future__ import annotations

from typing import Any

from entracte.core.documents.frame import Frame
from entracte.core.due import PHASE_DUE
from entracte.core.situation import Situation


def moved(s: Situation, frame: Frame, **changes: Any) -> Frame:
    """The frame after its move. Sweep begins to count anew."""
    return frame.evolve(moved=s.now, due=s.now + PHASE_DUE, sweeps=0, worker=s.worker, **changes)
