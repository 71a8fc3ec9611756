"""A tool for models that make numbers up: it takes what people say, and finds the one customer itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from crm import customers
from crm.database import reading
from crm.deps import Crm
from crm.once import once
from crm.records import Country, Customer, Email, Name, Notes, Plan
from entracte.agents import Prepared, ToolContext, tool

Who = Annotated[
    int | Annotated[str, Field(min_length=1, max_length=200)],
    Field(description="The customer's name, e-mail address or number, and nothing else."),
]


class Changed(BaseModel):
    """A record that was changed.

    Attributes:
        changed: For each field that is another now: what it was, and what it is.
    """

    model_config = ConfigDict(frozen=True)

    changed: dict[str, str]
    customer: Customer


def _with_number(arguments: dict[str, Any], ctx: ToolContext[Crm]) -> Prepared:
    """The call with the number in place of the name: what a person agrees to holds for this record alone."""
    customers.given({field: value for field, value in arguments.items() if field != "who"})
    with reading(ctx.deps.database) as connection:
        customer = customers.the_one(connection, arguments["who"])
    return Prepared(arguments=arguments | {"who": customer.id})


def _changed(connection: sqlite3.Connection, who: int | str, changes: Mapping[str, Any]) -> Changed:
    before = customers.the_one(connection, who)
    after = customers.update(connection, before.id, changes)
    pairs = {field: (getattr(before, field), getattr(after, field)) for field in changes}
    return Changed(
        changed={field: f"{was} → {now}" for field, (was, now) in pairs.items() if was != now}, customer=after
    )


@tool(
    evaluation="The record that came back has the values that were asked for, and is that of the right person.",
    idempotent=True,
    prepare=_with_number,
)
def change_customer(
    ctx: ToolContext[Crm],
    who: Who,
    name: Name | None = None,
    email: Email | None = None,
    plan: Plan | None = None,
    country: Country | None = None,
    notes: Notes | None = None,
) -> Changed:
    """Change fields of one customer's record.

    Give only the fields that change; the others stay as they are.
    """
    changes = customers.given({"name": name, "email": email, "plan": plan, "country": country, "notes": notes})
    return once(
        ctx.deps.database,
        ctx.idempotency_key,
        "change_customer",
        {"who": who, **changes},
        lambda connection: _changed(connection, who, changes),
        Changed,
    )
