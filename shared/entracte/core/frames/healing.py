"""The subject has moved on: publish again what its move made due, in case its author died before doing so."""

from __future__ import annotations

from entracte.core.addresses import action_path, frame_path, step_actions
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.due import AUTHOR_GRACE, due_messages
from entracte.core.effects import Fetch
from entracte.core.outcome import Outcome, nothing
from entracte.core.situation import Situation
from entracte.errors import RetryableError


def heal(s: Situation, frame: Frame, *, successors: tuple[Cursor, ...]) -> Fetch | Outcome:
    """What a late or repeated message for a frame comes to.

    Args:
        successors: Where the message's own move leads. A frame that stands elsewhere has gone further, so what that
            move made due did arrive.

    Raises:
        RetryableError: The move is so young that its author is still publishing: look again later. Publishing now
            as well would make two chains of every one.
    """
    run = s.docs.run(frame.run)
    if run is None or run.closed or frame.parked:
        return nothing("the run is closed or waits for a person")
    if frame.cursor not in successors:
        return nothing("moved on")
    if s.now - frame.moved < AUTHOR_GRACE:
        raise RetryableError(f"Frame {frame.id} has just moved; its messages are on their way.", code="just_moved")
    actions: tuple[str, ...] = ()
    if frame.cursor.phase == "execute":
        actions = step_actions(frame.id, frame.cursor.step, frame.calls)
        wanted = [path for id in actions for path in (action_path(run.id, id), frame_path(run.id, id))]
        if unread := s.docs.unread(wanted):
            return Fetch(unread)
    children = {id: child for id in actions if (child := s.docs.frame(run.id, id)) is not None}
    messages = due_messages(
        frame, s.docs.actions(run.id, actions), children, light=s.blueprint.is_light(frame.agent), now=s.now
    )
    return Outcome(messages=messages, note="moved on; published again")
