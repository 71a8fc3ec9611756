"""Rule 7: a gate decides one action, once. Silence never approves."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.documents.gate import Gate
from entracte.testing.simulation.moment import Invariant, Moment


def _decided_once(moment: Moment) -> Iterator[str]:
    for before, gate in moment.moves(Gate):
        if before is not None and before.status != "waiting" and gate.status != before.status:
            yield f"the gate {gate.id} was {before.status} and is {gate.status} now"
        if gate.status == "approved" and not gate.z.editable and any(v.edited and not v.refused for v in gate.votes):
            yield f"the gate {gate.id} was approved for other arguments than it shows"
        action = moment.action(gate.z.action)
        if gate.waiting and action is not None and action.gate != gate.id:
            yield f"the gate {gate.id} waits beside {action.gate or 'none'}, which its action names"


def _peoples(moment: Moment) -> Iterator[str]:
    for _, gate in moment.moves(Gate):
        counted = {vote.by for vote in gate.votes if not vote.refused and vote.decision != "expired"}
        if gate.status in ("approved", "denied", "decided") and not counted - {"", "nobody"}:
            yield f"the gate {gate.id} is {gate.status}, and nobody decided it"
        if gate.status == "approved" and len(gate.counted("approve")) < gate.z.quorum:
            yield f"the gate {gate.id} asks for {gate.z.quorum} people; {len(gate.counted('approve'))} approved"


def _closed(moment: Moment) -> Iterator[str]:
    """Looked at when all is at rest."""
    for gate in moment.of(Gate) if moment.kind == "rest" else ():
        run = moment.run(gate.run)
        if gate.waiting and run is not None and run.closed:
            yield f"the gate {gate.id} waits, and its run is {run.status}"


GATES_ARE_DECIDED_ONCE = Invariant(
    "gates are decided once",
    "A gate leaves `waiting` once, for the arguments that it shows; an action waits for one gate at a time.",
    _decided_once,
)
ANSWERS_ARE_PEOPLES = Invariant(
    "answers are people's",
    "A decision names whose it is, as many as the rule asks for: silence never approves.",
    _peoples,
)
GATES_CLOSE_WITH_THEIR_RUN = Invariant(
    "gates close with their run", "Nobody is asked in vain: once a run is closed, none of its gates waits.", _closed
)
