"""summarise: sums up the messages of a long session, after an answer, so that nobody waits for it.

Its messages travel with plan's. One that is lost loses nothing: the next answer of the session asks again, and where no
model ever answers, messages are summed up by rule (`entracte.core.conversation.window`).
"""

from __future__ import annotations

from entracte.core.addresses import entry_path, run_path, session_path
from entracte.core.asking.conversation import messages_text, summary_request
from entracte.core.asking.reply_notes import fault_in
from entracte.core.conversation.window import History, summed_up_by_rule
from entracte.core.documents.journal import Entry
from entracte.core.documents.line import Line
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.effects import AskModel
from entracte.core.entry import run_entry
from entracte.core.events import record
from entracte.core.frames.budget_check import affordable_after
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, Usage
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.situation import Situation
from entracte.errors import TerminalError


def paths(message: Message) -> tuple[str, ...]:
    """The session, and the run after whose answer it is looked at."""
    return run_path(message.run), session_path(message.session), entry_path(message.run, _move(message.run))


def decide(s: Situation, message: Message) -> AskModel | Outcome:
    """Ask the light model, if there is enough to sum up."""
    match _standing(s, message):
        case Outcome() as found:
            return found
        case run, session:
            request = summary_request(s.blueprint, run, session.history, session.history.between)
            asked = affordable_after(s, run, request)
            return AskModel(asked) if not isinstance(asked, str) else _left_to_the_next(s, run, asked)


def conclude(s: Situation, message: Message, effect: AskModel, result: ModelReply | TerminalError) -> Outcome:
    """Put the summary in the place of the messages, or one made by rule where the reply is none."""
    match _standing(s, message):
        case Outcome() as found:
            return found
        case run, session:
            pass
    history = session.history
    between = _read_by(effect, history)
    if not between:
        return nothing("the session was summed up meanwhile")
    usage, served, summary = Usage(), "", ""
    if isinstance(result, ModelReply):
        usage, served = result.usage, result.served
        summary = "" if fault_in(effect.request, result) else str(result.value or "").strip()
    after = history.folded(between, summary or summed_up_by_rule(history.summary, between))
    how = "" if summary else ", by rule, since the model gave no summary"
    told = record("thought", text=f"{len(between)} earlier messages of the session were summed up{how}.")
    entry = run_entry(s, run, "summarised", phase="summarise", events=(told,), usage=usage, served=served)
    puts = [Put(session_path(session.id), session.with_history(after))]
    if usage != Usage():
        puts.append(Put(run_path(run.id), run.evolve(usage=run.usage + usage)))
    return Outcome(puts=tuple(puts), entry=entry)


def _standing(s: Situation, message: Message) -> tuple[Run, Session] | Outcome:
    run, session = s.docs.run(message.run), s.docs.session(message.session)
    if run is None or session is None:
        return nothing("no such run or session")
    if not session.history.is_long or not session.history.between:
        return nothing("there is not enough to sum up")
    if s.docs.find(entry_path(run.id, _move(run.id)), Entry) is not None:
        return nothing("this answer has led to a summary already")
    return run, session


def _left_to_the_next(s: Situation, run: Run, lacking: str) -> Outcome:
    """The next answer of the session asks again, out of a budget of its own."""
    told = record("thought", text=f"Earlier messages are not summed up: the budget has no room for it: {lacking}")
    return Outcome(entry=run_entry(s, run, "summarised", phase="summarise", events=(told,)))


def _read_by(effect: AskModel, history: History) -> tuple[Line, ...]:
    """Those of the messages that the model has read. None if another summary was made meanwhile."""
    if effect.request.part("summary") != history.summary:
        return ()
    read = effect.request.part("messages")
    between = history.between  # it may have grown at its end
    return next((between[:n] for n in range(len(between), 0, -1) if messages_text(between[:n]) == read), ())


def _move(run: str) -> str:
    return f"{run}.summarised"
