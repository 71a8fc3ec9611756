"""Routes of signed links: for whoever holds one, signed in or not. The page at /gates/… calls them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse

from entracte.api.requests.access import MaybeWho, TheLinks
from entracte.api.requests.bodies import LinkBody, LinkDecisionBody
from entracte.api.requests.json_body import json_body
from entracte.api.routes.described import answer_of, problems, request_of
from entracte.core.documents.gate import WORDS, Gate
from entracte.runtime.services.announcing import command_of
from entracte.runtime.services.linked_gates import needs_sign_in
from entracte.runtime.services.links import Claim

router = APIRouter(prefix="/v1/links", tags=["links"], responses=problems(403, 404, 413, 415, 422, 500, 503))

MAX_BYTES = 64 * 1024
"""Of a body: it is read before anything is known of who sends it, and reading a megabyte takes half a second."""

_link = json_body(LinkBody, max_bytes=MAX_BYTES)

_LINK = {"token": "eyJnYXRlIjoi….q2Vx…"}
_NAMED = _LINK | {"gate": "5f3a9b2c1d0e4f5a6b7c.1.0.1"}


@router.post(
    "/preview",
    summary="Show the gate of a link",
    responses={200: answer_of("LinkAnswer", "The gate."), **problems(409)},
    openapi_extra=request_of("LinkBody", link=_LINK, named=_NAMED),
)
def preview_link(links: TheLinks, body: Annotated[LinkBody, Depends(_link)]) -> JSONResponse:
    """What is asked. Nothing is decided, and the link can still be used."""
    return JSONResponse(_shown(*links.show(body.token, gate=body.gate)))


@router.post(
    "/decision",
    summary="Decide the gate of a link",
    responses={200: answer_of("LinkAnswer", "The gate as it is now."), **problems(409)},
    openapi_extra=request_of(
        "LinkDecisionBody",
        approve=_NAMED | {"decision": "approve"},
        deny=_NAMED | {"decision": "deny", "reason": "Too soon."},
    ),
)
def decide_link(
    links: TheLinks,
    who: MaybeWho,
    body: Annotated[LinkDecisionBody, Depends(json_body(LinkDecisionBody, max_bytes=MAX_BYTES))],
) -> JSONResponse:
    """Approve, deny or answer, as the person whom the link was made for. A link decides once.

    Where `sign_in` is true, the person's token has to come along.
    """
    signed_in = who.name if who is not None else ""
    return JSONResponse(
        _shown(*links.decide(body.token, body.decision, gate=body.gate, reason=body.reason, signed_in=signed_in))
    )


@router.post(
    "/renew",
    summary="Ask for a new link",
    status_code=202,
    responses={202: answer_of("RenewalAnswer", "If the gate still waits, a link is on its way.")},
    openapi_extra=request_of("LinkBody", link=_LINK, named=_NAMED),
)
def renew_link(links: TheLinks, body: Annotated[LinkBody, Depends(_link)]) -> JSONResponse:
    """A new link, in place of one that is too old, goes to whom the old one was for, and to nobody else."""
    links.renew(body.token)
    return JSONResponse({"status": "accepted"}, status_code=202)


def _shown(gate: Gate, claim: Claim) -> dict[str, Any]:
    return {
        "gate": gate.id,
        "kind": gate.z.kind,
        "status": gate.status,
        "question": gate.question,
        "why": gate.why,
        "asked_by": gate.asked_by,
        "agent": gate.z.agent,
        "tool": gate.z.tool,
        "preview": list(gate.preview),
        "decisions": list(WORDS[gate.z.kind]),
        "decided": "" if gate.waiting else f"It {gate.ending()}",
        "approver": claim.approver,
        "until": datetime.fromtimestamp(claim.until, UTC).isoformat(),
        "sign_in": needs_sign_in(gate),
        "command": command_of(gate),
    }
