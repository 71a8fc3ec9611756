"""Whether an approval covers a call as it is now: gate, grant and action must agree, under a rule no stricter."""

from __future__ import annotations

from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.gates.people import person
from entracte.core.payload import digest
from entracte.core.policy.rule import Rule


def why_not_granted(action: Action, gate: Gate | None, rule: Rule) -> str:
    """Why a person has to be asked again, or an empty string.

    Whoever may edit the gate's document may edit the action's too. So the digest is computed again, from the arguments
    that would be used.
    """
    assert action.effective is not None
    if gate is None:
        return "The gate that approved this was deleted."
    if gate.z.action != action.id or gate.id != action.gate:
        return "The gate belongs to another call."
    if gate.z.kind == "in_doubt":
        return "" if gate.counted("retry") else "Nobody decided to try it again."
    votes = [vote for vote in gate.votes if vote.decision == "approve" and not vote.refused]
    approvers = {vote.by for vote in votes}
    if gate.status != "approved" or not approvers:
        return "The gate does not say that it was approved."
    actual = digest(action.effective.value)
    if action.digest != actual or (actual != gate.z.digest and not any(vote.edited for vote in votes)):
        return "The arguments are not those that were approved."
    if len(approvers) < rule.quorum:
        return f"The policy asks for {rule.quorum} people now; {len(approvers)} approved."
    if rule.approvers and not approvers <= set(rule.approvers):
        return "The policy names other approvers now."
    if (rule.approvers or rule.quorum > 1 or rule.four_eyes) and any(vote.author != "proved" for vote in votes):
        return "The policy asks for particular people now; who approved it is not certain."
    if rule.four_eyes and person(action.owner) in approvers:
        return "The policy asks for somebody else than whoever asked for the run."
    return ""
