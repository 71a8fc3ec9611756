"""approve: announce a gate to those who may decide it, and take their answers.

Every way of answering (HTTP, signed link, console edit, command line) ends here, as one message or one call with an
`Answer`. The gate document decides; the action is moved in the same commit, so a gate decides one action, once.
"""

from __future__ import annotations

from msgspec.structs import replace

from entracte.core.actions.clearing import asking_for, asking_the_person
from entracte.core.actions.unmade import unmade
from entracte.core.addresses import action_of_gate, action_path, frame_path, frames_around, gate_path, run_of, run_path
from entracte.core.answer import Answer
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate, Vote
from entracte.core.documents.journal import EventRecord
from entracte.core.documents.run import Run
from entracte.core.due import PHASE_DUE, execute_message
from entracte.core.effects import Announce, Fetch
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.frames.fan_in import fan_in
from entracte.core.gates.deciding import decided
from entracte.core.gates.opening import Asking, open_gate
from entracte.core.gates.voting import Counted, count
from entracte.core.messages import Message
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.situation import Situation


def paths(message: Message) -> tuple[str, ...]:
    """What an approve message is decided by: gate, run, action, and the frames that may have to move again."""
    action = action_of_gate(message.gate)
    run = run_of(action)
    frames = (frame_path(run, frame) for frame in frames_around(action))
    return gate_path(message.gate), run_path(run), action_path(run, action), *frames


def decide(s: Situation, message: Message) -> Announce | Fetch | Outcome:
    """Count the answer, announce the gate, or see to what has become of it.

    In this order: a gate that the action has left; one that was deleted or edited by hand; an answer in time; a gate
    that was decided before; one of a closed run; silence; a decision without its author; and what is left to announce.
    """
    gate, run, action = _documents(s, message)
    if run is None or action is None:
        return nothing("no such run or action")
    if action.gate != message.gate:
        if gate is None or message.answer is None or s.committed:
            return nothing("the action has another gate now")
        return _answer(s, run, action, gate, message.answer)
    if (gate is None or not gate.waiting) and action.awaits_person and not run.closed:
        return _reopen(s, action, "was deleted" if gate is None else f"was set to {gate.status} by hand")
    if gate is None:
        return nothing("deleted after it was decided")
    overdue = gate.waiting and not run.closed and gate.z.expires is not None and gate.z.expires <= s.now
    if message.answer is not None and not overdue:
        return _answer(s, run, action, gate, message.answer)
    if not gate.waiting:
        return _go_on(s, run, action)
    if run.closed:
        return _closed(s, action, gate)
    if overdue:
        return _expired(s, run, action, gate)
    if gate.decision.strip():
        return _unheard(s, action, gate)
    if gate.z.announced and (gate.z.reminded or gate.z.remind is None or gate.z.remind > s.now):
        return nothing("announced before, and nothing is due")
    return Announce(gate, reminder=gate.z.announced)


def conclude(s: Situation, message: Message, effect: Announce, result: str) -> Outcome:
    """Note that the gate was announced. `result` says by which ways."""
    gate, run, action = _documents(s, message)
    if gate is None or action is None or run is None or not gate.waiting:
        return nothing("decided meanwhile")
    reminded = gate.z.reminded or effect.reminder
    told = gate.z.evolve(announced=True, reminded=reminded, sweeps=0)
    announced = gate.evolve(z=told, due=gate.z.expires if reminded else gate.z.remind)
    return Outcome(
        puts=(Put(gate_path(gate.id), announced),),
        entry=action_entry(
            s, action, f"{gate.z.number}.{'reminded' if effect.reminder else 'announced'}", phase="approve"
        ),
        note=result,
    )


def _answer(s: Situation, run: Run, action: Action, gate: Gate, given: Answer) -> Fetch | Outcome:
    """Count an answer; move action, frames and run when it decides."""
    tool = s.blueprint.tools.get(action.tool)
    counted = count(
        gate,
        given,
        s.now,
        run_closed=run.closed,
        parameters=tool.parameters if tool is not None else None,
        awaited=action.gate == gate.id and action.awaits_person,
    )
    unkept = s.committed and counted.gate.votes == gate.votes
    if counted.gate is gate or unkept:  # delivered again: perhaps its author died before the step could go on
        return _go_on(s, run, action)
    outcome = decided(s, run, action, counted) if counted.decided else Outcome()
    puts: tuple[Put, ...] = (Put(gate_path(gate.id), counted.gate), *outcome.puts)
    return replace(
        outcome,
        puts=_closing(s, action, counted.gate) if run.closed and gate.waiting else puts,
        entry=action_entry(s, action, _move(counted), phase="approve", events=(_event(counted),)),
        more=outcome.more or s.committed,
    )


def _unheard(s: Situation, action: Action, gate: Gate) -> Outcome:
    """A decision is in the document, but the event that says whose it is has not come. Nobody is guessed.

    If the event comes after all, it counts as it would have.
    """
    written = gate.decision.strip()[:100]
    error = f"Unconfirmed: {written!r} arrived without its author. Nothing was decided; write it again."
    due = (gate.z.expires if gate.z.reminded else gate.z.remind) if gate.z.announced else s.now + PHASE_DUE
    facts = gate.z.evolve(sweeps=0)
    asked = gate.evolve(decision="", decision_error=error, due=due, z=facts)
    return Outcome(
        puts=(Put(gate_path(gate.id), asked),),
        entry=action_entry(s, action, f"{gate.z.number}.unheard.{gate.rev}", phase="approve"),
        more=True,
    )


def _expired(s: Situation, run: Run, action: Action, gate: Gate) -> Outcome:
    """Silence never approves: the rule says that it denies."""
    silence = Vote(id=f"{gate.id}.expired", by="nobody", via="sweep", decision="expired", at=s.now)
    closed = gate.evolve(status="expired", votes=(*gate.votes, silence), decision="", due=None)
    counted = Counted(closed, silence)
    outcome = decided(s, run, action, counted)
    return replace(
        outcome,
        puts=(Put(gate_path(gate.id), closed), *outcome.puts),
        entry=action_entry(s, action, f"{gate.z.number}.decided", phase="approve", events=(_event(counted),)),
    )


def _closed(s: Situation, action: Action, gate: Gate) -> Outcome:
    """The run was closed while it waited: nobody has to decide any more."""
    return Outcome(
        puts=_closing(s, action, gate),
        entry=action_entry(s, action, f"{gate.z.number}.cancelled", phase="approve"),
    )


def _closing(s: Situation, action: Action, gate: Gate) -> tuple[Put, ...]:
    """The gate as cancelled, and the call that it held. One in doubt may have happened: it stays in doubt."""
    put = Put(gate_path(gate.id), gate.evolve(status="cancelled", decision="", due=None))
    if action.status != "gated" or action.gate != gate.id:
        return (put,)
    ended = unmade(s, action, "cancelled", "The run was closed before this call was made.")
    return put, Put(action_path(action.run, action.id), ended)


def _go_on(s: Situation, run: Run, action: Action) -> Fetch | Outcome:
    """What follows a decision that has been committed."""
    if action.is_ended:
        return fan_in(s, run, action)
    return Outcome(messages=(execute_message(action),) if action.status == "approved" else ())


def _documents(s: Situation, message: Message) -> tuple[Gate | None, Run | None, Action | None]:
    action = action_of_gate(message.gate)
    run = run_of(action)
    return s.docs.gate(message.gate), s.docs.run(run), s.docs.action(run, action)


def _move(counted: Counted) -> str:
    number = counted.gate.z.number
    return f"{number}.decided" if counted.decided else f"{number}.vote.{counted.gate.rev}"


def _event(counted: Counted) -> EventRecord:
    vote = counted.vote
    return record(
        "gate.decided",
        gate=counted.gate.id,
        status=counted.gate.status,
        decision=vote.decision,
        by=vote.by,
        via=vote.via,
        reason=vote.reason,
        edited=vote.edited,
        refused=vote.refused,
        note=vote.note,
    )


def _reopen(s: Situation, action: Action, fate: str) -> Outcome:
    """Somebody deleted the gate or edited its status, and the action still waits: it is asked again."""
    why = f"The gate's document {fate}; it is asked again."
    text = action.called_with.text[:500]
    tool = s.blueprint.tools.get(action.tool)
    if action.status == "unknown":
        question = f"Did {action.tool} happen?"
        asking = Asking(kind="in_doubt", question=question, why=f"{action.error} {why}", preview=(text,))
    elif tool is None:
        asking = Asking(kind="approval", question=f"Call {action.tool}?", why=why, preview=(text,))
    elif tool.asks:
        asking = asking_the_person(action, why)
    else:
        asking = asking_for(s, action, s.blueprint.policy.rule_for(tool), "approval", why, None)
    opened = open_gate(s, action, asking, status=action.status)
    return Outcome(
        puts=opened.puts,
        verifies=(run_path(action.run),),
        entry=action_entry(s, action, f"{opened.gate.z.number}.reopened", events=opened.events),
        messages=opened.messages,
    )
