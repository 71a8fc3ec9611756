"""evaluate: judge each result by its tool's criterion, keep what matters as state, and let the raw results go."""

from __future__ import annotations

from entracte.core.addresses import action_path, frame_path, run_path, session_path, step_actions
from entracte.core.asking.context import evaluate_request
from entracte.core.asking.reply_notes import fault_in
from entracte.core.asking.shown_state import is_full
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.due import plan_message, step_ended_message
from entracte.core.effects import AskModel, Fetch
from entracte.core.entry import frame_entry
from entracte.core.frames.absorbing import Absorbed, absorb
from entracte.core.frames.asking import ask
from entracte.core.frames.budget_check import affordable
from entracte.core.frames.changing_state import and_then, change_state
from entracte.core.frames.dropping import drop
from entracte.core.frames.ending import end_frame
from entracte.core.frames.ending_early import end_early, known_so_far
from entracte.core.frames.fusing import planned_by
from entracte.core.frames.healing import heal
from entracte.core.frames.idling import idle_steps, told_of_idling, why_idle
from entracte.core.frames.judgement import Judgement, judgement_of, no_judgement, unjudged
from entracte.core.frames.moving import moved
from entracte.core.frames.opening import first_cursor
from entracte.core.frames.overload import under_way
from entracte.core.frames.repairing import ask_again, feedback_before
from entracte.core.frames.spending import charge, exhausted
from entracte.core.frames.stalling import revive_late
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.runs.boundary import boundary_of
from entracte.core.situation import Situation
from entracte.core.tidying.dropping import FINISHED, finished_tasks
from entracte.errors import TerminalError

Standing = tuple[Run, Frame, Session, tuple[Action, ...]]


def paths(message: Message) -> tuple[str, ...]:
    """What an evaluate message is decided by."""
    actions = step_actions(message.frame, message.step, message.calls)
    return (
        run_path(message.run),
        frame_path(message.run, message.frame),
        session_path(message.session),
        *(action_path(message.run, id) for id in actions),
    )


def decide(s: Situation, message: Message) -> AskModel | Fetch | Outcome:
    """Ask what the results are worth, unless a tool has ended the frame or nothing is left to ask with."""
    match _standing(s, message):
        case Outcome() as found:
            return found
        case Frame() as ahead:
            return heal(s, ahead, successors=_successors(message))
        case run, frame, session, actions:
            pass
    if frame.id in run.stalled:
        return revive_late(s, run, frame)
    absorbed = absorb(frame, actions, s.agent(frame.agent))
    changed = change_state(s.blueprint, session, absorbed.frame, absorbed.diffs)
    early = end_early(
        s,
        run,
        changed,
        terminate=absorbed.terminate,
        looping=absorbed.looping,
        move=f"{frame.cursor.step}.evaluate",
        phase="evaluate",
        again=_next_cursor(s, frame),
    )
    if early is not None:
        return early
    if frame.agent in s.blueprint.agents and not exhausted(s, run, absorbed.frame):
        asked = affordable(s, run, absorbed.frame, evaluate_request(s.blueprint, run, frame, session, actions, s.now))
        if not isinstance(asked, str):
            return ask(s, run, asked)
    return _move_on(s, run, absorbed, session, no_judgement(actions))  # plan ends the frame where the budget is gone


def conclude(s: Situation, message: Message, effect: AskModel, result: ModelReply | TerminalError) -> Outcome:
    """Turn verdicts into notes and state, and send the frame to its next plan."""
    match _standing(s, message):
        case Outcome() | Frame():
            return drop(s, message, result, phase="evaluate")
        case run, frame, session, actions:
            pass
    if isinstance(result, TerminalError):  # a retry plans on with results that nobody has judged
        ended = absorb(frame, actions, s.agent(frame.agent))
        changed = change_state(s.blueprint, session, ended.frame, ended.diffs)
        told = (*feedback_before(frame), *ended.told, *changed.refused, *unjudged(actions))
        return end_frame(
            s,
            run,
            changed.frame.evolve(feedback=told, repairs=0),
            changed.session,
            reason="error",
            error=str(result),
            move=f"{frame.cursor.step}.evaluate",
            phase="evaluate",
            events=changed.events,
            again=_next_cursor(s, frame),
        )
    frame = charge(frame, result.usage)
    fault = fault_in(effect.request, result)
    if fault:
        again = ask_again(s, frame, result, fault, step_ended_message(actions[0], light=False))
        if again is not None:
            return again
    absorbed = absorb(frame, actions, s.agent(frame.agent))
    judgement = no_judgement(actions, result, fault) if fault else judgement_of(result, actions)
    return _move_on(s, run, absorbed, session, judgement)


def _standing(s: Situation, message: Message) -> Standing | Outcome | Frame:
    """The documents, when the calls of the message's step have ended and nobody has judged them yet.

    The frame alone when it has moved on.
    """
    run, frame, session = (
        s.docs.run(message.run),
        s.docs.frame(message.run, message.frame),
        s.docs.session(message.session),
    )
    if run is None or frame is None or session is None:
        return nothing("no such run, frame or session")
    if run.closed:
        return nothing(f"the run is {run.status}")
    if frame.cursor != Cursor(step=message.step, phase="execute"):
        return nothing("ahead of its frame") if message.step > frame.cursor.step else frame
    actions = s.docs.actions(run.id, step_actions(frame.id, message.step, frame.calls))
    if len(actions) < frame.calls or not all(action.is_ended for action in actions):
        return nothing("calls of the step have not ended")
    return run, frame, session, actions


def _successors(message: Message) -> tuple[Cursor, ...]:
    step = message.step + 1
    return (
        Cursor(step=step, phase="plan"),
        Cursor(step=step, phase="interpret"),
        Cursor(step=message.step, phase="ended"),
    )


def _move_on(s: Situation, run: Run, absorbed: Absorbed, session: Session, judgement: Judgement) -> Outcome:
    """State takes up what is kept; the frame goes to its next plan, or ends if it gets nowhere."""
    frame = absorbed.frame
    changed = change_state(s.blueprint, session, frame, [*absorbed.diffs, *judgement.diffs])
    idle = idle_steps(frame.idle, news=absorbed.news, changed=changed.applied)
    if diff := finished_tasks(changed.frame) if is_full(s.blueprint, changed.session, changed.frame) else {}:
        changed = and_then(s.blueprint, changed, diff, why=FINISHED)
    cursor = _next_cursor(s, frame)
    troubled = bool(absorbed.told or changed.refused or told_of_idling(idle))
    told = (*absorbed.told, *changed.refused, *judgement.told, *told_of_idling(idle))
    after = moved(
        s,
        changed.frame,
        cursor=cursor,
        calls=0,
        feedback=(*feedback_before(frame), *told),
        planned=planned_by(s, run, changed.frame, judgement.said, troubled=troubled),
        idle=idle,
        repairs=0,
        cut_offs=0,
    )
    move, reply = f"{frame.cursor.step}.evaluate", judgement.reply
    events = (*judgement.events, *changed.events)
    if looping := why_idle(idle):
        return end_frame(
            s,
            run,
            after.evolve(cursor=frame.cursor),
            changed.session,
            reason="loop",
            value=known_so_far(s, after, changed.session),
            error=looping,
            move=move,
            phase="evaluate",
            events=events,
            usage=reply.usage,
            served=reply.served,
            extra=judgement.puts,
            again=cursor,
        )
    entry = frame_entry(s, frame, move, phase="evaluate", usage=reply.usage, served=reply.served, events=events)
    return Outcome(
        puts=(
            Put(frame_path(frame.run, frame.id), after),
            *changed.session_puts,
            *judgement.puts,
            *under_way(s, run),
        ),
        entry=entry.evolve(boundary=boundary_of(after, changed.session)),
        messages=(plan_message(after, step=cursor.step),),
    )


def _next_cursor(s: Situation, frame: Frame) -> Cursor:
    """Where the frame stands once the step's results are taken in."""
    agent = s.agent(frame.agent)
    if frame.cursor.step == 0 and agent is not None:
        return first_cursor(agent)
    return Cursor(step=frame.cursor.step + 1, phase="plan")
