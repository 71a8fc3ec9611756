"""plan: understand the request first, then choose the next calls or give the final answer.

A frame's first delivery takes two turns: interpret, then choose. A light agent has no state to interpret against, and
its plan takes in the results of the step before, since no evaluate does. For an MCP client nothing is planned: it is
only seen whether it has left.
"""

from __future__ import annotations

from dataclasses import replace

from entracte.core.addresses import action_path, frame_path, run_path, session_path, step_actions
from entracte.core.asking.context import choose_request, interpret_request
from entracte.core.asking.reply_notes import answer_faults, fault_in, thought_events
from entracte.core.conversation.trail import with_thought
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.due import PHASE_DUE, execute_message, startable, step_ended_message
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.affording import affordable
from entracte.core.frames.asking import ask
from entracte.core.frames.at_the_desk import desk_of
from entracte.core.frames.best_answer import best_answer
from entracte.core.frames.changing_state import change_state
from entracte.core.frames.dropping import drop
from entracte.core.frames.ending import end_frame
from entracte.core.frames.ending_early import end_early
from entracte.core.frames.healing import heal
from entracte.core.frames.proposing import propose
from entracte.core.frames.repairing import feedback_before, repair
from entracte.core.frames.spending import charge, exhausted
from entracte.core.frames.stalling import revive_late
from entracte.core.frames.taking_in import take_in, with_state
from entracte.core.frames.waiting import under_way
from entracte.core.gateway.client import is_clients
from entracte.core.gateway.settling import settle
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply
from entracte.core.outcome import AskModel, Fetch, Outcome, Put, Situation, nothing
from entracte.core.runs.boundary import boundary_of
from entracte.errors import TerminalError


def paths(message: Message) -> tuple[str, ...]:
    """What a plan message is decided by. A light agent's message names the calls of the step before as well."""
    before = step_actions(message.frame, message.step - 1, message.calls)
    return (
        run_path(message.run),
        frame_path(message.run, message.frame),
        session_path(message.session),
        *(action_path(message.run, id) for id in before),
    )


def decide(s: Situation, message: Message) -> AskModel | Fetch | Outcome:
    """Ask what the request means, or what comes next; or end the frame where there is nothing left to ask with."""
    if (clients := s.docs.frame(message.run, message.frame)) is not None and is_clients(clients):
        return settle(s, s.docs.run(message.run), clients, left=False)
    match _standing(s, message):
        case Outcome() as found:
            return found
        case Frame() as moved:
            return heal(s, moved, successors=_successors(message))
        case run, frame, session:
            pass
    if frame.id in run.stalled:
        return revive_late(s, run, frame)
    if frame.agent not in s.blueprint.agents:
        return end_frame(
            s,
            run,
            frame,
            session,
            reason="error",
            move=f"{message.step}.gone",
            phase="plan",
            error=f"Agent {frame.agent!r} is no longer part of the network.",
        )
    taken = take_in(s, frame, session, message)
    here = Cursor(step=message.step, phase="plan")
    if taken is not None:
        early = end_early(
            s,
            run,
            replace(taken.changed, frame=taken.frame),
            terminate=taken.terminate,
            looping=taken.looping,
            move=f"{message.step}.plan",
            phase="plan",
            again=here,
        )
        if early is not None:
            return early
    current = taken.frame if taken is not None else frame
    desk = desk_of(s, run, current)
    if isinstance(desk, Fetch):
        return desk
    asked = _within_budget(s, run, current, session, desk)
    if isinstance(asked, AskModel):
        return asked
    known = taken.changed.session if taken is not None else session
    ended = end_frame(
        s,
        run,
        current,
        known,
        reason="budget",
        value=best_answer(s.blueprint, s.blueprint.agents[frame.agent], current, known),
        move=f"{message.step}.budget",
        phase="plan",
        error=f"Budget used up: {asked}.",
        again=here if taken is not None else None,
    )
    return with_state(ended, taken) if taken is not None else ended


def _within_budget(s: Situation, run: Run, frame: Frame, session: Session, desk: str) -> AskModel | str:
    """What is asked next: when little is left, for the answer at once; when nothing is, what is lacking.

    Args:
        desk: Active artifacts, as text.
    """
    if limit := exhausted(s, run, frame):
        return limit
    exchanges = [(e.calls, e.results) for e in frame.exchanges]
    if frame.cursor.phase == "interpret":
        request = interpret_request(s.blueprint, run, frame, session, s.now, desk)
    else:
        request = choose_request(s.blueprint, run, frame, session, s.now, exchanges, desk)
    if not isinstance(wanted := affordable(s, run, frame, request), str):
        return ask(s, run, wanted)
    last = choose_request(s.blueprint, run, frame, session, s.now, exchanges, desk, closing=True)
    if not isinstance(closing := affordable(s, run, frame, last), str):
        return ask(s, run, closing, closing=True)
    return closing


def conclude(s: Situation, message: Message, effect: AskModel, result: ModelReply | TerminalError) -> Outcome:
    """Turn the model's reply into goals and tasks, actions, or the frame's end."""
    match _standing(s, message):
        case Outcome() | Frame():
            return drop(s, message, result, phase="plan")
        case run, frame, session:
            pass
    if effect.request.purpose == "interpret" and frame.cursor.phase != "interpret":
        return drop(s, message, result, phase="plan")
    if (taken := take_in(s, frame, session, message)) is not None:
        frame = taken.frame.evolve(cursor=Cursor(step=message.step, phase="plan"), calls=0)
        outcome = with_state(_conclude(s, run, frame, taken.changed.session, effect, result), taken)
        assert outcome.entry is not None
        return replace(outcome, entry=outcome.entry.evolve(boundary=boundary_of(frame, taken.changed.session)))
    return _conclude(s, run, frame, session, effect, result)


def _conclude(
    s: Situation, run: Run, frame: Frame, session: Session, effect: AskModel, result: ModelReply | TerminalError
) -> Outcome:
    if isinstance(result, TerminalError):
        return end_frame(
            s, run, frame, session, reason="error", error=str(result), move=f"{frame.cursor.step}.error", phase="plan"
        )
    frame = charge(frame, result.usage)
    if fault := fault_in(effect.request, result):
        return repair(s, run, frame, session, result, fault, phase="plan")
    if effect.request.purpose == "interpret":
        return _interpreted(s, run, frame, session, result)
    if result.calls:
        return _calls(s, run, frame, result)
    return _answer(s, run, frame, session, result, closing=effect.closing)


def _standing(s: Situation, message: Message) -> tuple[Run, Frame, Session] | Outcome | Frame:
    """The documents, when the frame stands where the message expects it; the frame alone when it has moved on."""
    run, frame, session = (
        s.docs.run(message.run),
        s.docs.frame(message.run, message.frame),
        s.docs.session(message.session),
    )
    if run is None or frame is None or session is None:
        return nothing("no such run, frame or session")
    if run.closed:
        return nothing(f"the run is {run.status}")
    cursor = frame.cursor
    if cursor.step == message.step and cursor.phase in ("interpret", "plan"):
        return run, frame, session
    if s.blueprint.is_light(frame.agent) and cursor == Cursor(step=message.step - 1, phase="execute"):
        actions = s.docs.actions(run.id, step_actions(frame.id, cursor.step, frame.calls))
        if len(actions) == frame.calls and all(action.is_ended for action in actions):
            return run, frame, session
        return nothing("calls of the step before have not ended")
    return nothing("ahead of its frame") if message.step > cursor.step else frame


def _successors(message: Message) -> tuple[Cursor, ...]:
    return Cursor(step=message.step, phase="execute"), Cursor(step=message.step, phase="ended")


def _interpreted(s: Situation, run: Run, frame: Frame, session: Session, reply: ModelReply) -> Outcome:
    """Goals and tasks are in state, what is not needed has left the context; the choice follows at once."""
    wanted = dict(reply.value)
    unused_tools, unused_agents = wanted.pop("unused_tools", []), wanted.pop("unused_agents", [])
    changed = change_state(s.blueprint, session, frame, [wanted])
    after = changed.frame.evolve(
        cursor=Cursor(step=1, phase="plan"),
        disabled_tools=_unused(frame.disabled_tools, unused_tools, s.blueprint.agents[frame.agent].tools),
        disabled_agents=_unused(frame.disabled_agents, unused_agents, s.blueprint.agents[frame.agent].agents),
        feedback=(*feedback_before(frame), *changed.refused),
        trail=_trail(frame, reply),
        repairs=0,
        cut_offs=0,
        moved=s.now,
        due=s.now + PHASE_DUE,
        worker=s.worker,
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


def _calls(s: Situation, run: Run, frame: Frame, reply: ModelReply) -> Outcome:
    """The step's actions, and a message for each that may start."""
    wanted = reply.calls[: run.limits.parallel_calls]
    actions, left = propose(s, run, frame, wanted)
    after = frame.evolve(
        cursor=Cursor(step=frame.cursor.step, phase="execute"),
        calls=len(actions),
        feedback=(f"{len(reply.calls) - len(wanted)} calls too many were left out.",)
        if len(wanted) < len(reply.calls)
        else (),
        trail=_trail(frame, reply),
        share=left,
        repairs=0,
        cut_offs=0,
        moved=s.now,
        due=s.now + PHASE_DUE,
        sweeps=0,
        worker=s.worker,
    )
    shown = [{"action": action.id, "tool": action.tool, "arguments": action.arguments.value} for action in actions]
    failed = [
        record("tool.result", action=a.id, tool=a.tool, status=a.status, error=a.error) for a in actions if a.is_ended
    ]
    events = (*thought_events(reply), record("plan.ready", calls=shown), *failed)
    messages = tuple(execute_message(action) for action in startable(actions))
    if all(action.is_ended for action in actions):
        messages = (step_ended_message(actions[0], light=s.blueprint.is_light(frame.agent)),)
    return Outcome(
        puts=(
            Put(frame_path(run.id, frame.id), after),
            *(Put(action_path(run.id, action.id), action) for action in actions),
            *under_way(s, run),
        ),
        entry=frame_entry(
            s, after, f"{frame.cursor.step}.plan", phase="plan", events=events, usage=reply.usage, served=reply.served
        ),
        messages=messages,
    )


def _trail(frame: Frame, reply: ModelReply) -> tuple[str, ...]:
    """What later runs of the session are told of the frame's thoughts and calls; nothing of sub-agents'."""
    return frame.trail if frame.parent else with_thought(frame.trail, reply.thought)


def _answer(s: Situation, run: Run, frame: Frame, session: Session, reply: ModelReply, *, closing: bool) -> Outcome:
    """The frame ends with the value, once it satisfies the agent's output schema."""
    agent = s.blueprint.agents[frame.agent]
    if faults := answer_faults(agent, reply.value):
        return repair(s, run, frame, session, reply, faults, phase="plan")
    return end_frame(
        s,
        run,
        frame,
        session,
        reason="budget" if closing or frame.cursor.step >= agent.max_steps > 1 else "answered",
        value=reply.value,
        move=f"{frame.cursor.step}.plan",
        phase="plan",
        events=thought_events(reply),
        usage=reply.usage,
        served=reply.served,
    )
