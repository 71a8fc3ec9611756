"""Routes of gates: what waits for a person, and what the person says."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse

from entracte.api.problems import error_problem, is_callers
from entracte.api.requests.access import ListedOwner, TheGates, TheRuns, Who
from entracte.api.requests.bodies import DecisionBody, DecisionsBody
from entracte.api.requests.cursors import decode_cursor, encode_cursor
from entracte.api.requests.json_body import json_body
from entracte.api.requests.parameters import Cursor, IdempotencyKey, Limit
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.core.documents.gate import Gate, GateStatus
from entracte.core.gates.people import person
from entracte.core.identity.identity import Identity
from entracte.errors import EntracteError, InvalidInput
from entracte.runtime.services.gates import Gates
from entracte.runtime.services.rendering import gate_json

router = APIRouter(prefix="/v1/gates", tags=["gates"], responses=problems(403, 404, 422, 500, 503))

_DIGEST = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_APPROVAL: dict[str, Any] = {"decision": "approve", "digest": _DIGEST, "reason": "She asked for it by phone."}
_EDIT = _APPROVAL | {"edited_arguments": {"to": "ada@example.com"}}
_DENIAL = {"decision": "deny", "digest": _DIGEST}


@router.get("", summary="List gates", responses={200: answer_of("GatePage", "A page.")})
def list_gates(
    request: Request,
    runs: TheRuns,
    gates: TheGates,
    who: Who,
    owner: ListedOwner,
    status: Annotated[GateStatus | None, Query()] = None,
    run: Annotated[str, Query(max_length=80, description="Only those of this run, oldest first.")] = "",
    to_decide: Annotated[bool, Query(description="Only those that wait, and name the caller as an approver.")] = False,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JSONResponse:
    """Gates of the caller's runs, newest first. Those of a run also show what others ask the caller to approve.

    A page may have fewer than `limit` before the last.
    """
    if to_decide and status not in (None, "waiting"):
        raise InvalidInput(f"A gate that is {status} is not to be decided any more.", remedy="Leave status out.")
    of = "\0".join(["gates", owner, status or "", run, str(to_decide)])
    after = decode_cursor(cursor, of=of)
    if run:
        page = gates.list_of_run(run, user=owner, operator=who.operator, limit=limit, after=after)
        if not page.items and not cursor and not who.operator:
            runs.get(run, owner=owner)
    elif to_decide:
        page = gates.list_to_decide(user=owner, limit=limit, after=after)
    else:
        page = gates.list(user=owner, status=status or "", limit=limit, after=after)
    wanted = "waiting" if to_decide else status
    items = [
        gate_json(gate)
        for gate in page.items
        if wanted in (None, gate.status) and (not to_decide or person(owner) in gate.z.approvers)
    ]
    return JSONResponse(
        {"items": items, "next_cursor": encode_cursor(page.after, of=of), "unreadable": page.unreadable}
    )


@router.get("/{gate_id}", summary="Read a gate", responses={200: answer_of("GateAnswer", "The gate.")})
def read_gate(gates: TheGates, who: Who, gate_id: str) -> JSONResponse:
    """What is asked, of whom, and what was said so far."""
    return JSONResponse(gate_json(gates.get(gate_id, user=who.name, operator=who.operator)))


@router.post(
    "/{gate_id}/decision",
    summary="Decide a gate",
    responses={
        200: answer_of("GateAnswer", "The gate as it is now; still waiting if more people have to approve."),
        **problems(409, 413, 415),
    },
    openapi_extra=request_of(
        "DecisionBody",
        approve=_APPROVAL,
        deny=_DENIAL,
        edit=_APPROVAL | {"edited_arguments": {"to": "ada@example.com"}},
    ),
)
def decide_gate(
    gates: TheGates,
    who: Who,
    body: Annotated[DecisionBody, Depends(json_body(DecisionBody))],
    gate_id: str,
    idempotency_key: IdempotencyKey = None,
) -> JSONResponse:
    """Approve, deny or answer. The run goes on by itself.

    `digest` is that of the gate as it was shown: a gate that asks for other arguments by now is not decided. Of several
    answers the first counts; the others are told who decided what.
    """
    return JSONResponse(gate_json(_decide(gates, gate_id, body, who, idempotency_key)))


@router.post(
    "/decisions",
    summary="Decide several gates",
    responses={200: answer_of("OutcomesAnswer", "What came of each."), **problems(413, 415)},
    openapi_extra=request_of(
        "DecisionsBody",
        both=[{"gate": "5f3a9b2c1d0e4f5a6b7c.1.0.1"} | _APPROVAL, {"gate": "5f3a9b2c1d0e4f5a6b7c.1.1.1"} | _DENIAL],
        one=[{"gate": "5f3a9b2c1d0e4f5a6b7c.1.0.1"} | _APPROVAL],
    ),
)
def decide_gates(
    request: Request,
    gates: TheGates,
    who: Who,
    body: Annotated[DecisionsBody, Depends(json_body(DecisionsBody))],
    idempotency_key: IdempotencyKey = None,
) -> JSONResponse:
    """Each decision is recorded by itself: one that is refused keeps none of the others from counting."""
    outcomes: list[dict[str, Any]] = []
    for decision in body.root:
        outcome: dict[str, Any] = {"gate": decision.gate, "status": 200, "result": None, "problem": None}
        try:
            gate = _decide(gates, decision.gate, decision, who, idempotency_key)
        except EntracteError as error:
            if not is_callers(error):
                request.state.fault = error
            problem = error_problem(request.state.request_id, error)
            outcomes.append(outcome | {"status": problem.status, "problem": problem.model_dump()})
        else:
            outcomes.append(outcome | {"result": gate_json(gate)})
    return JSONResponse({"items": outcomes})


def _decide(gates: Gates, gate_id: str, body: DecisionBody, who: Identity, key: str | None) -> Gate:
    """A key makes the same answer of the same request; another request with it is another answer."""
    text = "\0".join([who.name, gate_id, key or "", body.model_dump_json()])
    return gates.decide(
        gate_id,
        body.decision,
        user=who.name,
        operator=who.operator,
        via="http",
        digest=body.digest,
        reason=body.reason,
        edited_arguments=body.edited(),
        answer_id=sha256(text.encode()).hexdigest()[:32] if key else "",
    )
