"""From a prepared call to its start: every reason to ask a person first, and the intent that is written before it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from entracte.core.actions.recording import directives_payload
from entracte.core.actions.unmade import unmade, unmade_move
from entracte.core.addresses import action_path, gate_path, run_path
from entracte.core.calls import Prepared, Record
from entracte.core.documents.action import Action, Lease, Reading
from entracte.core.documents.gate import GateKind
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.gates.opening import Asking, open_gate
from entracte.core.outcome import Outcome, Put
from entracte.core.payload import Payload, digest
from entracte.core.policy.calling import reading_of, unresolvable_before
from entracte.core.policy.policy import asks_first
from entracte.core.policy.preview import preview
from entracte.core.policy.prior_values import prior_values
from entracte.core.policy.question import question
from entracte.core.policy.rule import Rule
from entracte.core.situation import Situation
from entracte.errors import InvalidInput


def prepared_action(s: Situation, action: Action, prepared: Prepared) -> Action:
    """The action with its effective arguments, which everything from here on goes by: hooks are not asked again."""
    arguments = dict(prepared.arguments)
    rule = s.blueprint.policy.rule_for(s.blueprint.tools[action.tool])
    return action.evolve(
        effective=Payload.of(arguments),
        digest=digest(arguments),
        policy_class=rule.tool_class,
        directives=directives_payload(prepared.directives),
    )


def start_or_ask(
    s: Situation, action: Action, found: Record | None, *, approved: bool, diff: tuple[str, ...] = ()
) -> Outcome:
    """Start the call, unless a person has to be asked first or what it would change cannot be read.

    Args:
        found: The record that it would change, just read.
        diff: What it would change, where the tool can tell.
        approved: A person has agreed; only what they did not know of is a reason to ask again.
    """
    tool = s.blueprint.tools[action.tool]
    rule = s.blueprint.policy.rule_for(tool)
    arguments = _arguments(action)
    if tool.asks:
        return _gated(s, action, asking_the_person(action, "The agent asks."))
    if not approved and asks_first(rule, arguments):
        return _gated(s, action, asking_for(s, action, rule, "approval", _why(rule), found, diff))
    if found is not None and found.error:
        refusal = f"What this call would change could not be read, so it was not made: {found.error}"
        return refused(s, action, Prepared(refusal=refusal, blocked=True))
    try:
        snapshot = reading_of(found) if found is not None else None
    except InvalidInput as error:
        return refused(
            s, action, Prepared(refusal=f"What this call would change cannot be kept: {error}", blocked=True)
        )
    if (asked := _unforeseen(s, action, rule, snapshot, found, approved=approved)) is not None:
        return _gated(s, action, asked)
    return write_intent(s, action.evolve(snapshot=snapshot))


def ask_again(s: Situation, action: Action, rule: Rule, why: str) -> Outcome:
    """The approval does not cover this call as it is now. A gate that still waits is not asked any more."""
    classed = action.evolve(policy_class=rule.tool_class)
    outcome = _gated(s, classed, asking_for(s, classed, rule, "approval", why, None))
    old = s.docs.gate(action.gate)
    if old is None or not old.waiting or old.z.action != action.id:
        return outcome
    closed = old.evolve(status="cancelled", decision="", decision_error="Another gate asks this now.", due=None)
    return replace(outcome, puts=(*outcome.puts, Put(gate_path(old.id), closed)))


def write_intent(s: Situation, action: Action) -> Outcome:
    """The intent, before the effect. It verifies the run, so that no call starts after a cancel."""
    expires = s.lease_expires
    started = action.evolve(
        status="started",
        effect=action.effect if s.blueprint.tools[action.tool].readonly else "changing",  # by the policy of today
        attempt=action.attempt + 1,
        lease=Lease(holder=s.delivery, worker=s.worker, expires=expires),
        started=s.now,
        due=expires,
    )
    called = record(
        "tool.called", action=action.id, tool=action.tool, attempt=started.attempt, arguments=_arguments(action)
    )
    return Outcome(
        puts=(Put(action_path(action.run, action.id), started),),
        verifies=(run_path(action.run),),
        entry=action_entry(s, action, f"{started.attempt}.started", events=(called,)),
        more=True,
    )


def refused(s: Situation, action: Action, prepared: Prepared) -> Outcome:
    """A hook or the policy blocks it, or its arguments do not fit: it ends without having been called."""
    ended = unmade(s, action, "blocked" if prepared.blocked else "failed", prepared.refusal)
    ended = ended.evolve(directives=directives_payload(prepared.directives))
    event = record("tool.result", action=action.id, tool=action.tool, status=ended.status, error=prepared.refusal)
    return Outcome(
        puts=(Put(action_path(action.run, action.id), ended),),
        entry=action_entry(s, action, unmade_move(ended), events=(event,)),
        more=True,
    )


def asking_the_person(action: Action, why: str) -> Asking:
    """What a question of the agent's asks."""
    return Asking(kind="question", question=str(_arguments(action).get("question", "")), why=why)


def asking_for(
    s: Situation,
    action: Action,
    rule: Rule,
    kind: GateKind,
    why: str,
    found: Record | None,
    diff: tuple[str, ...] = (),
) -> Asking:
    """What a gate of this rule asks."""
    arguments = _arguments(action)
    before = found.value if found is not None and found.present and not found.error else None
    prior = prior_values(rule, action.tool, arguments, before) if before is not None else None
    return Asking(
        kind=kind,
        question=question(rule, action.tool, arguments, before),
        why=why,
        preview=preview(_title(s, action), arguments, before, prior=prior, diff=diff),
        approvers=rule.approvers,
        quorum=rule.quorum,
        four_eyes=rule.four_eyes,
        editable=rule.editable and kind == "approval" and not action.attempt,  # once made, it is made as it was
        lasts=timedelta(seconds=rule.expires_s) if rule.expires_s is not None else None,
    )


def _unforeseen(
    s: Situation, action: Action, rule: Rule, snapshot: Reading | None, found: Record | None, *, approved: bool
) -> Asking | None:
    """What makes an undo impossible although the rule promises one. Known to whoever approved it, it is no news."""
    kinds_seen = action.approved_kinds if approved else ()
    absent = rule.tool_class == "reversible" and snapshot is not None and not snapshot.present
    if absent and "absence" not in kinds_seen:
        why = "The record that this would change is not there, so it could not be put back."
        return asking_for(s, action, rule, "absence", why, found)
    missing = unresolvable_before(rule, _arguments(action), snapshot)
    if missing and not absent and "unresolvable" not in kinds_seen:
        return asking_for(s, action, rule, "unresolvable", f"This could not be undone: {missing}", found)
    return None


def _gated(s: Situation, action: Action, asking: Asking) -> Outcome:
    opened = open_gate(s, action, asking)
    return Outcome(
        puts=opened.puts,
        verifies=(run_path(action.run),),
        entry=action_entry(s, action, f"{opened.action.gates}.gated", events=opened.events),
        messages=opened.messages,
        more=True,
    )


def _title(s: Situation, action: Action) -> str:
    tool = s.blueprint.tools.get(action.tool)
    return f"{action.tool}: {tool.summary}" if tool is not None else action.tool


def _why(rule: Rule) -> str:
    match rule.tool_class, rule.gate:
        case "irreversible", _ if not rule.match:
            return "The policy says nothing of this tool, so it counts as one whose effect cannot be undone."
        case "irreversible", _:
            return "This cannot be undone."
        case _, "on_write":
            return "This may be a write."
        case _:
            return "The policy asks for approval."


def _arguments(action: Action) -> dict[str, Any]:
    arguments: dict[str, Any] = action.called_with.value
    return arguments
