"""The network that chaos plays with: reads, a gate, a sub-agent, changes of every class, a scripted model.

desk     step 1: look, add_note, clerk      step 2: send_mail, which asks first      step 3: the answer
clerk    step 1: set_plan, twice            step 2: its answer

set_plan and remove_note honour the idempotency key; add_note and send_mail do not. Every change takes some time before
it acts, and after it has acted, for a kill to find.
"""

from __future__ import annotations

import os
import random
import time
from functools import cache
from pathlib import Path
from typing import Any

from customers import Customers

from entracte.agents import Agent, Budget, Models, Network, ToolContext, ToolError, tool
from entracte.core.policy.policy import Policy
from entracte.core.policy.reading import read_manifest

FILE = "CHAOS_CUSTOMERS"
"""Environment variable that names the database."""

RULES = """
version: 1
tools:
  - {match: look, class: readonly}
  - match: set_plan
    class: reversible
    idempotent: true
    snapshot: {tool: look, args: {}}
    inverse: {tool: set_plan, args: {plan: $snapshot.plan}}
  - match: add_note
    class: compensable
    inverse: {tool: remove_note, args: {id: $result.id}, absent_when: there is no note}
  - {match: remove_note, class: irreversible, idempotent: true, gate: never}
  - {match: send_mail, class: irreversible}
"""

_LONGEST_S = 0.15


@cache
def _customers() -> Customers:
    return Customers(Path(os.environ[FILE]))


def _take_time() -> None:
    time.sleep(random.uniform(0, _LONGEST_S))


@tool(effect="readonly")
def look(ctx: ToolContext[None]) -> dict[str, str]:
    """Tell the plan of the run's customer."""
    return {"plan": _customers().plan_of(ctx.run_id)}


@tool(idempotent=True)
def set_plan(plan: str, ctx: ToolContext[None]) -> dict[str, str]:
    """Put the customer on a plan."""
    return dict(
        _change("set_plan", ctx, "INSERT OR REPLACE INTO plans VALUES (?, ?)", (ctx.run_id, plan), honours_key=True)
    )


@tool
def add_note(text: str, ctx: ToolContext[None]) -> dict[str, Any]:
    """Add a note."""
    return dict(_change("add_note", ctx, "INSERT INTO notes (run, text) VALUES (?, ?)", (ctx.run_id, text)))


@tool(idempotent=True)
def remove_note(id: int, ctx: ToolContext[None]) -> dict[str, Any]:
    """Remove a note."""
    return dict(
        _change("remove_note", ctx, "DELETE FROM notes WHERE id = ? AND run = ?", (id, ctx.run_id), honours_key=True)
    )


@tool
def send_mail(subject: str, ctx: ToolContext[None]) -> dict[str, Any]:
    """Send a mail to the customer."""
    return dict(_change("send_mail", ctx, "INSERT INTO mails (run, subject) VALUES (?, ?)", (ctx.run_id, subject)))


def _change(name: str, ctx: ToolContext[None], statement: str, values: tuple[Any, ...], **how: bool) -> dict[str, Any]:
    def work(database: Any) -> dict[str, Any]:
        done = database.execute(statement, values)
        if not done.rowcount:
            raise ToolError("there is no note of that number")
        return {"id": done.lastrowid}

    _take_time()
    result = _customers().change(name, ctx.idempotency_key, ctx.run_id, work, honours_key=how.get("honours_key", False))
    _take_time()
    return dict(result)


TOOLS = [look, set_plan, add_note, remove_note, send_mail]

network = Network(
    name="chaos",
    entry=Agent(
        name="desk",
        prompt="You answer.",
        tools=TOOLS,
        agents=[Agent(name="clerk", prompt="You keep the records.", tools=TOOLS, light=True, max_steps=4)],
        max_steps=6,
    ),
    models=Models(main=f"scripted/{Path(__file__).with_name('replies.yaml')}"),
    policy=Policy(read_manifest(RULES, file="policy.yaml", variables={})),
    budget=Budget(wall_s=10**6, depth=2, actions=50, writes=40),
)
