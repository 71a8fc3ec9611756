"""Rule 1: commit, then publish."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.addresses import step_actions
from entracte.core.messages import Message
from entracte.testing.simulation.moment import Invariant, Moment


def _commit_first(moment: Moment) -> Iterator[str]:
    for message in moment.messages:
        if not _is_true(moment, message):
            yield f"{message.kind} {message.gate or message.action or message.frame} was published before its time"


def _is_true(moment: Moment, message: Message) -> bool:
    """Whether the documents, as they are, call for the message or did so before."""
    match message.kind:
        case "execute":
            return moment.action(message.action) is not None
        case "approve":
            return moment.gate(message.gate) is not None
        case "undo":
            run = moment.run(message.run)
            return run is not None and run.undo is not None and message.action in ("", *run.undo.order)
        case "plan" | "evaluate":
            frame = moment.frame(message.run, message.frame)
            if frame is None:
                return False
            if frame.cursor.step >= message.step and message.kind == "plan":
                return True
            step = (
                message.step if message.kind == "evaluate" else message.step - 1
            )  # a light agent's, whose calls ended
            ids = step_actions(frame.id, step, frame.calls if frame.cursor.step == step else 0)
            found = [moment.action(id) for id in ids]
            return frame.cursor.step >= step and all(action is not None and action.is_ended for action in found)
        case _:
            return True


COMMIT_FIRST = Invariant(
    "commit first", "A message is published after the commit that makes it true, never before.", _commit_first
)
