"""What a run has used by now: a sub-agent's usage reaches its parent's frame only when its end is taken in."""

from __future__ import annotations

from entracte.core.documents.frame import Frame
from entracte.core.modelling import Usage
from entracte.core.runs.resuming import calls_of
from entracte.core.situation import Docs


def used_so_far(docs: Docs, frame: Frame) -> Usage:
    """What the frame has used, and the calls that it is at: of the sub-agents among them as far as they have come.

    Args:
        docs: With these calls and the frames that they opened, however deep.
    """
    usage = frame.usage
    for id in calls_of(frame):
        if (child := docs.frame(frame.run, id)) is not None:
            usage += used_so_far(docs, child)
        elif (action := docs.action(frame.run, id)) is not None:
            usage += action.usage
    return usage
