"""Requests for tests, valid in every field that a test does not care about."""

from __future__ import annotations

from typing import Any

from entracte.core.modelling import ModelRequest, Part, ToolSchema

SEARCH = ToolSchema(
    name="crm.search_customers",
    description="Find customers.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
GET = ToolSchema(
    name="crm.get_customer",
    description="Read one customer.",
    parameters={"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
)

PLAN = {
    "type": "object",
    "properties": {"plan": {"enum": ["free", "pro"]}, "since": {"type": "string"}},
    "required": ["plan"],
}


def a_request(**fields: Any) -> ModelRequest:
    """A plan of step 1, without tools."""
    names = {"run": "r", "frame": "r", "agent": "desk", "model": "openai/m"}
    given = {"purpose": "plan", "step": 1, "system": "Help.", "parts": (Part("input", "Which plan is Ada on?"),)}
    return ModelRequest(**names | given | fields)
