"""Small readings of a model's reply."""

from __future__ import annotations

from entracte.core.blueprint import AgentSpec
from entracte.core.documents.journal import EventRecord
from entracte.core.events import record
from entracte.core.modelling import ModelReply
from entracte.core.payload import Payload
from entracte.core.validation import explain
from entracte.errors import InvalidInput


def thought_events(reply: ModelReply) -> tuple[EventRecord, ...]:
    """What the model said about its reasons, if anything."""
    return (record("thought", text=reply.thought),) if reply.thought else ()


def answer_faults(agent: AgentSpec, value: object) -> str:
    """Why a value cannot be the agent's final answer, or an empty string."""
    try:
        Payload.of(value)
    except InvalidInput as error:
        return str(error)
    if agent.output is None:
        return "" if isinstance(value, str) and value.strip() else "The answer must be text and must not be empty."
    return explain(value, agent.output)
