"""Taking an answer to a gate: who may, what it must say, and when the gate is decided. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from entracte.core.answer import Answer
from entracte.core.documents.gate import MAX_VOTES, WORDS, Gate, GateStatus, Vote
from entracte.core.gates.people import person
from entracte.core.payload import Payload, digest
from entracte.core.validation import explain
from entracte.errors import InvalidInput

ANSWER_CHARS = 4000
"""Longest answer to a question. A longer one is refused, not cut: nobody would see that the rest is missing."""


class Counted(Struct, frozen=True):
    """The gate with the answer in it.

    Attributes:
        vote: As it was recorded; `refused` is empty when it counted.
        arguments: Edited arguments, when the answer approved with them.
    """

    gate: Gate
    vote: Vote
    arguments: Mapping[str, Any] | None = None

    @property
    def decided(self) -> bool:
        """This very answer closed the gate."""
        return not self.vote.refused and not self.gate.waiting


class _Refused(Exception):
    def __init__(self, code: str, note: str) -> None:
        self.code = code
        self.note = note


def count(
    gate: Gate,
    answer: Answer,
    now: datetime,
    *,
    run_closed: bool,
    parameters: Mapping[str, Any] | None,
    awaited: bool = True,
) -> Counted:
    """Record an answer and close the gate if it decides.

    Args:
        awaited: The action waits for this gate. The gate's own word is not enough: people may edit its status.
        parameters: JSON Schema of the tool's arguments, which edited ones must satisfy; None when the tool has gone.
    """
    answer = answer.evolve(by=person(answer.by))
    if known := next((vote for vote in gate.votes if vote.id == answer.id), None):
        return Counted(gate, known)
    arguments: Mapping[str, Any] | None = None
    try:
        word = _check(gate, answer, run_closed=run_closed, awaited=awaited)
        if answer.edited_arguments.strip():
            arguments = _edited(gate, answer.edited_arguments, parameters)
        vote = _vote(answer, word, now, arguments=arguments)
        status = _status(gate, vote)
    except _Refused as refused:
        vote = _vote(answer, answer.decision[:100], now, refused=refused.code, note=refused.note)
        status = gate.status
    votes = (*gate.votes, vote) if len(gate.votes) < MAX_VOTES or not vote.refused else gate.votes
    taken = answer.via == "console" and not vote.refused  # whoever mistyped decision finds the rest as they wrote it
    after = gate.evolve(
        votes=votes,
        status=status,
        decision="",
        decision_reason="" if taken else gate.decision_reason,
        edited_arguments="" if taken else gate.edited_arguments,
        decision_error=vote.note if vote.refused else "",
        due=gate.due if status == "waiting" else None,
    )
    return Counted(after, vote, arguments)


def _check(gate: Gate, answer: Answer, *, run_closed: bool, awaited: bool) -> str:
    """The decision as one of the gate's words.

    Raises:
        _Refused: It cannot count.
    """
    if not gate.waiting:
        raise _Refused("gate_already_decided", f"The gate {gate.ending()}.")
    if not awaited:
        raise _Refused("gate_already_decided", "The call does not wait for this gate any more.")
    if run_closed:
        raise _Refused("run_closed", "The run is closed.")
    _check_author(gate, answer)
    if gate.z.approvers and answer.by not in gate.z.approvers:
        raise _Refused("not_an_approver", f"{answer.by} is not among the approvers of this gate.")
    if not gate.z.approvers and answer.by != person(gate.z.owner) and not answer.operator:
        raise _Refused("not_an_approver", f"{answer.by} is not the owner of this run.")
    if gate.z.four_eyes and answer.by == person(gate.z.owner):
        raise _Refused("four_eyes", "Whoever asked for the run may not approve this call; somebody else has to.")
    if answer.digest and answer.digest != gate.z.digest:
        raise _Refused("digest_mismatch", "These are not the arguments that the gate shows now. Look at it again.")
    if gate.z.kind == "question":
        if not answer.decision.strip():
            raise _Refused("unknown_decision", "Write an answer.")
        if len(answer.decision) > ANSWER_CHARS:
            raise _Refused("unknown_decision", f"An answer has at most {ANSWER_CHARS:,} characters.")
        return answer.decision
    word = answer.decision.strip().lower().replace(" ", "_").replace("-", "_")
    words = WORDS[gate.z.kind]
    if word not in words:
        raise _Refused("unknown_decision", f"{answer.decision[:100]!r} is no decision. Write {' or '.join(words)}.")
    if word == "approve" and answer.by in gate.counted("approve"):
        raise _Refused("voted_before", f"{answer.by} has approved before; {gate.z.quorum} different people are needed.")
    return word


def _check_author(gate: Gate, answer: Answer) -> None:
    """Refuse an answer whose author this gate has to know and does not."""
    other_ways = f"Decide it in another way, such as: entracte approve {gate.id}"
    match answer.author:
        case "machine":
            raise _Refused("own_service_account", f"{answer.by} is this deployment itself; a person has to decide.")
        case "unknown" if gate.z.wants_known_people:
            raise _Refused("author_unknown", f"The edit came without its author, whom this gate asks for. {other_ways}")
        case "untested" if gate.z.wants_known_people:
            raise _Refused(
                "console_unconfirmed",
                "Edits in the console do not count on this gate before a test edit has shown that they carry their "
                f"author (entracte doctor --console). {other_ways}",
            )
        case _:
            pass


def _edited(gate: Gate, text: str, parameters: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if not gate.z.editable:
        raise _Refused("not_editable", "The arguments of this call may not be changed.")
    try:
        arguments = json.loads(text)
        Payload.of(arguments)
    except (ValueError, RecursionError, InvalidInput) as error:
        raise _Refused("bad_arguments", f"edited_arguments is not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise _Refused("bad_arguments", "edited_arguments must be a JSON object.")
    if parameters is not None and (fault := explain(arguments, parameters, masked=True)):
        raise _Refused("bad_arguments", f"The edited arguments do not fit the tool: {fault}.")
    if gate.z.quorum > 1 and digest(arguments) != gate.z.digest:
        raise _Refused(
            "not_editable", "Arguments of a call that several people approve cannot be changed by one of them."
        )
    return arguments


def _status(gate: Gate, vote: Vote) -> GateStatus:
    match vote.decision:
        case _ if gate.z.kind == "question":
            return "decided"
        case "approve":
            return "approved" if len({*gate.counted("approve"), vote.by}) >= gate.z.quorum else "waiting"
        case "deny":
            return "denied"
        case _:
            return "decided"


def _vote(
    answer: Answer,
    decision: str,
    now: datetime,
    *,
    arguments: Mapping[str, Any] | None = None,
    refused: str = "",
    note: str = "",
) -> Vote:
    return Vote(
        id=answer.id,
        by=answer.by,
        author=answer.author,
        via=answer.via,
        decision=decision,
        reason=answer.reason[:2000],
        at=now,
        edited=arguments is not None,
        digest=digest(dict(arguments)) if arguments is not None else "",
        refused=refused,
        note=note,
    )
