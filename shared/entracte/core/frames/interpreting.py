"""What a first look at a request comes to: goals and tasks, and what will not be needed."""

from __future__ import annotations

from entracte.core.addresses import frame_path
from entracte.core.asking.reply_notes import thought_events
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.entry import frame_entry
from entracte.core.frames.calling import trail_of
from entracte.core.frames.changing_state import change_state
from entracte.core.frames.moving import moved
from entracte.core.frames.overload import under_way
from entracte.core.frames.repairing import feedback_before
from entracte.core.modelling import ModelReply
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation


def interpreted(s: Situation, run: Run, frame: Frame, session: Session, reply: ModelReply) -> Outcome:
    """Goals and tasks are in state, what is not needed has left the context; the choice follows at once."""
    wanted = dict(reply.value)
    unused_tools, unused_agents = wanted.pop("unused_tools", []), wanted.pop("unused_agents", [])
    changed = change_state(s.blueprint, session, frame, [wanted])
    after = moved(
        s,
        changed.frame,
        cursor=Cursor(step=1, phase="plan"),
        disabled_tools=_unused(frame.disabled_tools, unused_tools, s.blueprint.agents[frame.agent].tools),
        disabled_agents=_unused(frame.disabled_agents, unused_agents, s.blueprint.agents[frame.agent].agents),
        feedback=(*feedback_before(frame), *changed.refused),
        trail=trail_of(frame, reply),
        repairs=0,
        cut_offs=0,
    )
    events = (*thought_events(reply), *changed.events)
    return Outcome(
        puts=(Put(frame_path(frame.run, frame.id), after), *changed.session_puts, *under_way(s, run)),
        entry=frame_entry(s, frame, "1.interpret", phase="plan", events=events, usage=reply.usage, served=reply.served),
        more=True,
    )


def _unused(before: tuple[str, ...], named: list[str], known: tuple[str, ...]) -> tuple[str, ...]:
    """What the interpretation leaves out, unless it would leave nothing at all."""
    left_out = tuple(dict.fromkeys((*before, *(name for name in named if name in known))))
    return before if set(left_out) >= set(known) else left_out
