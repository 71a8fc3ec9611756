"""A tool for models that make numbers up: it takes what people say, and finds the one customer itself."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

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


def _with_number(arguments: dict[str, Any], ctx: ToolContext[Crm]) -> Prepared:
    """The call with the number in place of the name: what a person agrees to holds for this record alone."""
    customers.given({field: value for field, value in arguments.items() if field != "who"})
    with reading(ctx.deps.database) as connection:
        customer = customers.the_one(connection, arguments["who"])
    return Prepared(arguments=arguments | {"who": customer.id})


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
) -> Customer:
    """Change fields of one customer's record, and give the record as it is then.

    Give only the fields that change; the others stay as they are.
    """
    changes = customers.given({"name": name, "email": email, "plan": plan, "country": country, "notes": notes})
    return once(
        ctx.deps.database,
        ctx.idempotency_key,
        "change_customer",
        {"who": who, **changes},
        lambda connection: customers.update(connection, customers.the_one(connection, who).id, changes),
    )
