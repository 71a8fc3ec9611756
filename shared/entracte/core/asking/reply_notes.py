"""Small readings of a model's reply."""

from __future__ import annotations

from entracte.core.blueprint import AgentSpec
from entracte.core.documents.journal import EventRecord
from entracte.core.events import record
from entracte.core.modelling import ModelReply, ModelRequest
from entracte.core.payload import Payload
from entracte.core.validation import explain
from entracte.errors import InvalidInput


def thought_events(reply: ModelReply) -> tuple[EventRecord, ...]:
    """What the model said about its reasons, if anything."""
    return (record("thought", text=reply.thought),) if reply.thought else ()


def fault_in(request: ModelRequest, reply: ModelReply) -> str:
    """Why a reply cannot be used, or an empty string. Adapters look too, but a hook may have changed it since."""
    if reply.fault is not None:
        return reply.fault.message
    try:
        Payload.of([reply.value, reply.thought, [call.tool for call in reply.calls]])
    except InvalidInput as error:
        return str(error)
    if reply.calls:
        return "" if request.tools else "It asks for calls, but nothing can be called now."
    if request.must_call:
        return "It answers, but something has to be called first."
    return explain(reply.value, request.schema) if request.schema is not None else ""


def answer_faults(agent: AgentSpec, value: object) -> str:
    """Why a value cannot be the agent's final answer, or an empty string."""
    try:
        Payload.of(value)
    except InvalidInput as error:
        return str(error)
    if agent.output is None:
        return "" if isinstance(value, str) and value.strip() else "The answer must be text and must not be empty."
    return explain(value, agent.output)
