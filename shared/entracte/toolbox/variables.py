"""Working variables: named values of a session, which agents and tools need again.

They are items of the state key ``vars``, ``name = JSON``: itemised, journaled and shown as all state is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, JsonValue

from entracte.adapters.python.context import ToolContext
from entracte.agents.tool import tool
from entracte.errors import ToolError

MAX_VALUE_CHARS = 2_000
"""Longest value, as JSON. Longer texts are artifacts."""

Name = Annotated[
    str, Field(pattern=r"^[^\W\d]\w{0,79}$", description="Letters, digits and _, not beginning with a digit.")
]


@tool(effect="readonly", evaluation="It holds what was to be kept.")
def set_variable(
    name: Name, value: Annotated[JsonValue, Field(description="Any JSON value.")], ctx: ToolContext[Any]
) -> dict[str, Any]:
    """Set a variable of this session, for later calls and other agents.

    Use it for exact values that are needed again.
    """
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > MAX_VALUE_CHARS:
        raise ToolError(
            f"A variable has at most {MAX_VALUE_CHARS:,} characters as JSON, and this one {len(text):,}.",
            remedy="Keep it as an artifact.",
        )
    before = [item for known, _, item in _variables(ctx) if known == name]
    changed: list[Any] = [{"id": item["id"], "text": ""} for item in before[1:]]  # set twice in one step
    line = f"{name} = {text}"
    changed.append({"id": before[0]["id"], "text": line} if before else line)
    ctx.update_state({"vars": changed})
    return {"name": name, "value": value}


@tool(effect="readonly", evaluation="It is the variable that was meant.")
def get_variable(name: Name, ctx: ToolContext[Any]) -> JsonValue:
    """Get the value of a variable of this session."""
    found = {known: value for known, value, _ in _variables(ctx)}
    if name not in found:
        raise ToolError(f"There is no variable {name!r}. Variables: {', '.join(found) or 'none'}.")
    return found[name]


@tool(effect="readonly", evaluation="It shows which there are.")
def list_variables(ctx: ToolContext[Any]) -> dict[str, JsonValue]:
    """List the variables of this session with their values."""
    return {name: value for name, value, _ in _variables(ctx)}


def _variables(ctx: ToolContext[Any]) -> Iterator[tuple[str, JsonValue, dict[str, str]]]:
    """Name, value and item of each; the last of a name counts. What agents wrote there by hand may be any text."""
    for item in ctx.state.get("vars", []):
        name, mark, text = item["text"].partition(" = ")
        if mark and name.isidentifier():
            yield name, _value(text), item


def _value(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value


variable_tools = (set_variable, get_variable, list_variables)
