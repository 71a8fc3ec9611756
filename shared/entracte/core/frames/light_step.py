"""A light agent's plan takes in the calls of the step before, since no evaluate does."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from entracte.core.addresses import step_actions
from entracte.core.documents.frame import Exchange, Frame
from entracte.core.documents.session import Session
from entracte.core.frames.absorbing import absorb, as_exchange
from entracte.core.frames.changing_state import ChangedState, change_state
from entracte.core.frames.idling import idle_steps, told_of_idling, why_idle
from entracte.core.messages import Message
from entracte.core.outcome import Outcome
from entracte.core.situation import Situation

KEPT_EXCHANGES = 10
"""Steps that a light agent remembers."""


class Taken(Struct, frozen=True):
    """Frame and session with the calls of the step before taken in.

    Attributes:
        terminate: Final answer that a tool or hook gave, or None.
        looping: Why the frame goes round in circles, in words; empty if it does not.
    """

    frame: Frame
    changed: ChangedState
    terminate: Any
    looping: str


def take_in(s: Situation, frame: Frame, session: Session, message: Message) -> Taken | None:
    """The calls of the step before; None where there are none, or evaluate has taken them in."""
    if frame.cursor.phase != "execute":
        return None
    actions = s.docs.actions(frame.run, step_actions(frame.id, message.step - 1, frame.calls))
    absorbed = absorb(frame, actions, s.agent(frame.agent))
    changed = change_state(s.blueprint, session, absorbed.frame, absorbed.diffs)
    idle = idle_steps(frame.idle, news=absorbed.news, changed=changed.applied)
    calls, results = as_exchange(actions)
    after = changed.frame.evolve(
        exchanges=(*frame.exchanges, Exchange(calls=calls, results=results))[-KEPT_EXCHANGES:],
        feedback=(*frame.feedback, *absorbed.told, *changed.refused, *told_of_idling(idle)),
        idle=idle,
    )
    return Taken(after, changed, absorbed.terminate, absorbed.looping or why_idle(idle))


def with_state(outcome: Outcome, taken: Taken) -> Outcome:
    """The plan's outcome, with the state that the calls changed written and told as well."""
    written = {put.path for put in outcome.puts}
    puts = (put for put in taken.changed.session_puts if put.path not in written)
    entry = outcome.entry
    if entry is not None:
        entry = entry.evolve(events=(*taken.changed.events, *entry.events))
    return replace(outcome, puts=(*outcome.puts, *puts), entry=entry)
