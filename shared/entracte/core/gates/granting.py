"""Whether an approval covers a call as it is now: gate, grant and action must agree, under a rule no stricter."""

from __future__ import annotations

from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.gates.people import person
from entracte.core.payload import digest
from entracte.core.policy.policy import asks_first
from entracte.core.policy.rule import Rule, ToolClass

_STRICTER: dict[ToolClass, int] = {"readonly": 0, "reversible": 1, "compensable": 2, "irreversible": 3}


def why_not_granted(action: Action, gate: Gate | None, rule: Rule) -> str:
    """Why a person has to be asked again, or an empty string.

    Whoever may edit the gate's document may edit the action's too. So the digest is computed again, from the arguments
    that would be used.
    """
    assert action.effective is not None
    if gate is None:
        return "The gate that approved this was deleted."
    if gate.z.action != action.id or gate.id != action.gate or gate.z.tool != action.tool:
        return "The gate belongs to another call."
    status, word = ("decided", "retry") if gate.z.kind == "in_doubt" else ("approved", "approve")
    votes = [vote for vote in gate.votes if vote.decision == word and not vote.refused]
    approvers = {vote.by for vote in votes}
    if gate.status != status or not approvers:
        return "The gate does not say that it was approved."
    actual = digest(action.effective.value)
    if action.digest != actual or actual != next((vote.digest for vote in votes if vote.edited), gate.z.digest):
        return "The arguments are not those that were approved."
    if action.policy_class and _STRICTER[action.policy_class] < _STRICTER[rule.tool_class]:
        return f"It was approved as {action.policy_class}, and the policy says {rule.tool_class} now."
    if gate.z.kind == "in_doubt" and not asks_first(rule, action.effective.value):
        return ""
    if len(approvers) < rule.quorum:
        return f"The policy asks for {rule.quorum} people now; {len(approvers)} approved."
    if rule.approvers and not approvers <= set(rule.approvers):
        return "The policy names other approvers now."
    if (rule.approvers or rule.quorum > 1 or rule.four_eyes) and any(vote.author != "proved" for vote in votes):
        return "The policy asks for particular people now; who approved it is not certain."
    if rule.four_eyes and person(action.owner) in approvers:
        return "The policy asks for somebody else than whoever asked for the run."
    return ""
