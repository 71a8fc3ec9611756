"""Schema-forced choice: one JSON object in which the model either calls tools or answers.

Every service that can force a JSON Schema can do this; native tool calling differs from service to service, and small
local models mostly lack it. Pure: what is sent and what comes back are both plain values here.
"""

from __future__ import annotations

from entracte.adapters.models.dialect import Schema, reduced, wire_name
from entracte.core.modelling import ModelRequest

MAX_THOUGHT_CHARS = 300
"""Small models can think in circles; the grammar stops them here."""


def reply_schema(request: ModelRequest, *, nested: bool = False) -> Schema | None:
    """What the reply must look like, reduced to what services know; None for plain text.

    Args:
        nested: Put the choice under ``next``. OpenAI takes no alternatives at the root of a schema, and wants those
            elsewhere to differ in their first key. Small models do better with the flat form. Where only calls will
            do there is nothing to choose, and both forms are one.
    """
    if not request.tools:
        return None if request.schema is None else reduced(request.schema)
    call = {"anyOf": [_call(wire_name(tool.name), reduced(tool.parameters)) for tool in request.tools]}
    calls: Schema = {"type": "array", "items": call, "minItems": 1, "maxItems": request.max_calls}
    thought: Schema = {"type": "string"} if nested else {"type": "string", "maxLength": MAX_THOUGHT_CHARS}
    if request.must_call:
        return _object(thought=thought, calls=calls)
    answer: Schema = {"type": "string"} if request.schema is None else reduced(request.schema)
    if nested:
        return _object(thought=thought, next={"anyOf": [_object(calls=calls), _object(answer=answer)]})
    return {"type": "object", "anyOf": [_object(thought=thought, calls=calls), _object(thought=thought, answer=answer)]}


def _call(name: str, arguments: Schema) -> Schema:
    return _object(tool={"type": "string", "const": name}, args=arguments)


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
