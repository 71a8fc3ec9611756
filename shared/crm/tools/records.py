"""Tools for customer records."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import Field

from crm import customers
from crm.database import reading
from crm.deps import Crm
from crm.once import once
from crm.records import Country, Customer, CustomerId, Email, Found, Invoice, InvoiceStatus, Name, Notes, Plan
from entracte.agents import ToolContext, tool


@tool(
    effect="readonly",
    evaluation="The customer that was asked about is among the hits. No hit: try fewer words, or only the surname. "
    "Several people of that name: tell them apart by e-mail or notes before anything is said or changed.",
)
def search_customers(
    ctx: ToolContext[Crm],
    query: Annotated[
        str,
        Field(
            max_length=200,
            description="A name, an e-mail address, a number, or a plan and a country: words that all stand in one "
            "record. Never the whole question.",
        ),
    ],
    limit: Annotated[int, Field(ge=1, le=50, description="Most customers to show; `total` counts all.")] = 10,
) -> Found:
    """Find customers by words of their record.

    Case and accents do not matter, and the beginning of a word will do. A hit shows the whole record, so there is no
    need to get it again.
    """
    with reading(ctx.deps.database) as connection:
        return customers.search(connection, query, limit)


@tool(effect="readonly", evaluation="The record is that of the customer who was meant: compare the name.")
def get_customer(ctx: ToolContext[Crm], id: CustomerId) -> Customer:
    """Read one customer's record by number."""
    with reading(ctx.deps.database) as connection:
        return customers.get(connection, id)


@tool(effect="readonly", evaluation="An empty list means that the customer has no such invoices; that is an answer.")
def list_invoices(
    ctx: ToolContext[Crm],
    customer_id: CustomerId,
    status: Annotated[InvoiceStatus | None, Field(description="Only invoices of this status.")] = None,
) -> list[Invoice]:
    """List a customer's invoices, oldest first."""
    with reading(ctx.deps.database) as connection:
        return customers.invoices(connection, customer_id, status)


@tool(
    evaluation="The record that came back has the values that were asked for, and is that of the right person.",
    idempotent=True,
)
def update_customer(
    ctx: ToolContext[Crm],
    id: CustomerId,
    name: Name | None = None,
    email: Email | None = None,
    plan: Plan | None = None,
    country: Country | None = None,
    notes: Notes | None = None,
) -> Customer:
    """Change fields of one customer's record.

    Give only the fields that change; the others stay as they are. An empty text clears country or notes.
    """
    changes = customers.given({"name": name, "email": email, "plan": plan, "country": country, "notes": notes})
    return once(
        ctx.deps.database,
        ctx.idempotency_key,
        "update_customer",
        {"id": id, **changes},
        lambda connection: customers.update(connection, id, changes),
        Customer,
    )


@tool(evaluation="The record that came back is the one that was asked for; its id is new.", idempotent=True)
def create_customer(
    ctx: ToolContext[Crm],
    name: Name,
    email: Email,
    plan: Plan = "Free",
    country: Country = "",
    notes: Notes = "",
    since: Annotated[date | None, Field(description="First day as a customer; today if left out.")] = None,
    id: Annotated[int | None, Field(ge=1, description="Leave out, except to bring a deleted customer back.")] = None,
) -> Customer:
    """Add a customer.

    Search first: the person may be a customer already.
    """
    asked = {"id": id, "name": name, "email": email, "plan": plan, "country": country, "notes": notes}
    first_day = since or datetime.now(UTC).date()
    return once(
        ctx.deps.database,
        ctx.idempotency_key,
        "create_customer",
        {**asked, "since": since and since.isoformat()},  # not today's date: a call repeated tomorrow is the same call
        lambda connection: customers.create(connection, {**asked, "since": first_day.isoformat()}),
        Customer,
    )


@tool(evaluation="The record that came back, which is gone now, is the one that was meant.", idempotent=True)
def delete_customer(ctx: ToolContext[Crm], id: CustomerId) -> Customer:
    """Delete a customer for good, and give the record as it was.

    A customer with invoices cannot be deleted. Of duplicates, delete the one that has none.
    """
    return once(
        ctx.deps.database,
        ctx.idempotency_key,
        "delete_customer",
        {"id": id},
        lambda connection: customers.delete(connection, id),
        Customer,
    )
