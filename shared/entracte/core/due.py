"""What the documents call for next. Publishing after a commit, healing after a crash, and sweep all ask here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from entracte.core.addresses import frame_of_action
from entracte.core.client_calls.client import is_clients
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.session import Session
from entracte.core.messages import Message

PHASE_DUE = timedelta(minutes=15)
"""How long a phase may take before sweep looks whether its message was lost."""

AUTHOR_GRACE = timedelta(seconds=5)
"""A move younger than this is still being published by whoever made it."""


def plan_message(frame: Frame, *, step: int) -> Message:
    """Asks for the frame's next choice."""
    return Message(kind="plan", run=frame.run, session=frame.session, frame=frame.id, step=step)


def execute_message(action: Action) -> Message:
    """Asks to look at one call."""
    return Message(kind="execute", run=action.run, session=action.session, action=action.id)


def parent_message(frame: Frame) -> tuple[Message, ...]:
    """Tells the action that opened the frame to look at it; nothing for the root frame."""
    if not frame.parent:
        return ()
    return (Message(kind="execute", run=frame.run, session=frame.session, action=frame.parent),)


def memorize_message(run: str, session: str) -> Message:
    """Asks to decide what to remember of a run."""
    return Message(kind="memorize", run=run, session=session)


def after_answer(session: Session, run: str, *, remembers: bool) -> tuple[Message, ...]:
    """What is done once a run has its answer, on nobody's time.

    Args:
        remembers: There is an answer, and the network has a long-term memory.
    """
    summary = (Message(kind="summarise", run=run, session=session.id),) if session.history.is_long else ()
    return (*summary, *((memorize_message(run, session.id),) if remembers else ()))


def step_ended_message(action: Action, *, light: bool) -> Message:
    """What follows when every call of the action's step has ended: evaluate, or for a light agent the next plan."""
    return Message(
        kind="plan" if light else "evaluate",
        run=action.run,
        session=action.session,
        frame=action.frame,
        step=action.step + 1 if light else action.step,
        calls=action.calls,
    )


def startable(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Proposed calls that may start now: readonly and agent calls at once, changing ones in index order.

    A changing call that waits for a person is set aside; those behind it go on.
    """
    ready: list[Action] = []
    changing_is_open = False
    for action in actions:
        if action.kind == "agent" or action.effect == "readonly":
            if action.status == "proposed":
                ready.append(action)
        elif not changing_is_open and not action.is_ended and not action.awaits_person:
            changing_is_open = True
            if action.status == "proposed":
                ready.append(action)
    return tuple(ready)


def after_end(ended: Action, actions: Sequence[Action], *, light: bool) -> tuple[Message, ...]:
    """What one call's end makes due, given all calls of its step as they were read after that end."""
    if all(action.is_ended for action in actions):
        return (step_ended_message(ended, light=light),)
    if ended.kind == "agent" or ended.effect == "readonly":
        return ()
    return tuple(
        execute_message(action)
        for action in startable(actions)
        if action.effect != "readonly" and action.kind == "tool"
    )


def only_people_awaited(actions: Sequence[Action], children: Mapping[str, Frame]) -> bool:
    """Some call has not ended, and nothing but a person can bring any of them forward."""
    still_open = [action for action in actions if not action.is_ended]
    return bool(still_open) and all(
        action.awaits_person or (action.id in children and children[action.id].parked) for action in still_open
    )


def due_messages(
    frame: Frame, actions: Sequence[Action], children: Mapping[str, Frame], *, light: bool, now: datetime
) -> tuple[Message, ...]:
    """Everything that a frame calls for now.

    Args:
        actions: Calls of its current step.
        children: Frames that these calls opened, by action id.
    """
    match frame.cursor.phase:
        case "plan" | "execute" if is_clients(frame):  # nobody calls for the client: plan sees whether it has left
            return (plan_message(frame, step=frame.cursor.step),)
        case "route" | "interpret" | "plan":
            return (plan_message(frame, step=frame.cursor.step),)
        case "ended":
            return parent_message(frame) if frame.due else ()
        case "execute":
            if actions and all(action.is_ended for action in actions):
                return (step_ended_message(actions[0], light=light),)
            if only_people_awaited(actions, children):  # whoever should have parked it has died
                return (execute_message(next(action for action in actions if not action.is_ended)),)
            overdue = (action for action in actions if action.status == "started" and _is_over(action, children, now))
            approved = (action for action in actions if action.status == "approved")  # a person let it go on
            return tuple(execute_message(action) for action in (*startable(actions), *approved, *overdue))


def _is_over(action: Action, children: Mapping[str, Frame], now: datetime) -> bool:
    """A started call whose child has ended, or whose lease has."""
    if action.kind == "agent":
        return action.id in children and (children[action.id].ended or children[action.id].parked)
    return action.lease is None or action.lease.expires <= now


def frame_of(message: Message) -> str:
    """Frame that a message is about."""
    return message.frame or frame_of_action(message.action)
