"""plan: understand the request first, then choose the next calls or give the final answer.

In a network with a router, the message is sorted before that.

A frame's first delivery takes two turns: interpret, then choose. A light agent has no state to interpret against, and
its plan takes in the results of the step before, since no evaluate does. For an MCP client nothing is planned: it is
only seen whether it has left.
"""

from __future__ import annotations

from msgspec.structs import replace

from entracte.core.addresses import action_path, frame_path, run_path, session_path, step_actions
from entracte.core.asking.context import choose_request, input_text, interpret_request
from entracte.core.asking.reply_notes import answer_faults, fault_in, thought_events
from entracte.core.asking.shown_state import is_full
from entracte.core.client_calls.client import is_clients
from entracte.core.client_calls.settling import settle
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.effects import AskModel, Fetch, Recall, Recalled, Shaped, ShapeStage
from entracte.core.frames.asking import ask
from entracte.core.frames.at_the_desk import desk_of
from entracte.core.frames.best_answer import best_answer
from entracte.core.frames.budget_check import affordable
from entracte.core.frames.calling import call_next
from entracte.core.frames.dropping import drop
from entracte.core.frames.ending import end_frame
from entracte.core.frames.ending_early import end_early
from entracte.core.frames.fusing import as_planned
from entracte.core.frames.healing import heal
from entracte.core.frames.interpreting import interpreted
from entracte.core.frames.light_step import take_in, with_state
from entracte.core.frames.repairing import repair
from entracte.core.frames.spending import charge, exhausted
from entracte.core.frames.stalling import revive_late
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply
from entracte.core.outcome import Outcome, nothing
from entracte.core.runs.boundary import boundary_of
from entracte.core.situation import Situation
from entracte.errors import TerminalError

SORTED_TO_TOOL = Cursor(step=0, phase="execute")
"""Where the first plan leaves a frame that it has sorted to an agent with an initial tool."""


def paths(message: Message) -> tuple[str, ...]:
    """What a plan message is decided by. A light agent's message names the calls of the step before as well."""
    before = step_actions(message.frame, message.step - 1, message.calls)
    return (
        run_path(message.run),
        frame_path(message.run, message.frame),
        session_path(message.session),
        *(action_path(message.run, id) for id in before),
    )


def decide(s: Situation, message: Message) -> AskModel | ShapeStage | Recall | Fetch | Outcome:
    """Ask what the request means, or what comes next; or end the frame where there is nothing left to ask with."""
    if (clients := s.docs.frame(message.run, message.frame)) is not None and is_clients(clients):
        return settle(s, s.docs.run(message.run), clients, left=False)
    match _standing(s, message):
        case Outcome() as found:
            return found
        case Frame() as ahead:
            return heal(s, ahead, successors=_successors(message))
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
    if frame.cursor.phase == "route":
        from entracte.core.routing.sorting import sort  # only for networks with a router

        return sort(s, run, frame, session)
    if s.blueprint.agents[frame.agent].stages:
        from entracte.core.pipelines.running import advance  # only for networks with pipelines

        return advance(s, run, frame, session)
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
    if s.blueprint.memory is not None and taken is None:
        from entracte.core.memory.recalling import to_recall  # only for networks that remember

        if (recall := to_recall(s, run, frame, input_text(frame))) is not None:
            return recall
    if is_full(s.blueprint, session, current):
        from entracte.core.tidying.merging import tidy  # only where there is something to merge

        if (merging := tidy(s, run, current, session)) is not None:
            return merging
    if (planned := as_planned(s, run, current)) is not None:
        return planned
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


def conclude(
    s: Situation,
    message: Message,
    effect: AskModel | ShapeStage | Recall,
    result: ModelReply | Shaped | Recalled | TerminalError,
) -> Outcome:
    """Turn the model's reply into goals and tasks, actions, or the frame's end."""
    match _standing(s, message):
        case Outcome() | Frame():
            if isinstance(effect, Recall) or isinstance(result, Recalled):
                return Outcome(more=True, note="moved on while memories were looked up")
            return drop(s, message, result, phase="plan")
        case run, frame, session:
            pass
    if isinstance(effect, Recall):
        from entracte.core.memory.recalling import recalled

        return recalled(s, frame, result if isinstance(result, Recalled) else Recalled((), str(result)))
    assert not isinstance(result, Recalled)
    if isinstance(effect, ShapeStage):
        from entracte.core.pipelines.running import shaped

        assert not isinstance(result, ModelReply)
        return shaped(s, run, frame, session, result)
    assert not isinstance(result, Shaped)
    if effect.request.purpose in ("route", "interpret") and frame.cursor.phase != effect.request.purpose:
        return drop(s, message, result, phase="plan")
    if effect.request.purpose == "route":
        from entracte.core.routing.sorting import sorted_to  # only for networks with a router

        return sorted_to(s, run, frame, session, effect.request, result)
    if effect.request.purpose == "merge":
        from entracte.core.tidying.merging import tidied

        full = frame.cursor.phase != "route" and is_full(s.blueprint, session, frame)
        return (
            tidied(s, run, frame, session, effect.request, result) if full else drop(s, message, result, phase="plan")
        )
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
        return repair(s, run, frame, session, result, fault)
    if effect.request.purpose == "interpret":
        return interpreted(s, run, frame, session, result)
    if result.calls:
        return call_next(s, run, frame, result)
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
    if cursor.step == message.step and cursor.phase in ("route", "interpret", "plan"):
        return run, frame, session
    if message.step == 1 and not message.calls and cursor == SORTED_TO_TOOL:
        return frame
    if s.blueprint.is_light(frame.agent) and cursor == Cursor(step=message.step - 1, phase="execute"):
        actions = s.docs.actions(run.id, step_actions(frame.id, cursor.step, frame.calls))
        if len(actions) == frame.calls and all(action.is_ended for action in actions):
            return run, frame, session
        return nothing("calls of the step before have not ended")
    return nothing("ahead of its frame") if message.step > cursor.step else frame


def _successors(message: Message) -> tuple[Cursor, ...]:
    ahead = Cursor(step=message.step, phase="execute"), Cursor(step=message.step, phase="ended")
    return (*ahead, SORTED_TO_TOOL) if message.step == 1 else ahead


def _answer(s: Situation, run: Run, frame: Frame, session: Session, reply: ModelReply, *, closing: bool) -> Outcome:
    """The frame ends with the value, once it satisfies the agent's output schema."""
    agent = s.blueprint.agents[frame.agent]
    if faults := answer_faults(agent, reply.value):
        return repair(s, run, frame, session, reply, faults)
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
