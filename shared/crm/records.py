"""What the desk keeps about customers: the shapes that tools take and give."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Plan = Literal["Free", "Pro", "Team", "Enterprise"]
InvoiceStatus = Literal["open", "paid"]

CustomerId = Annotated[int, Field(ge=1, description="The customer's number, as search_customers gives it.")]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S.*$", description="Full name.")]
Email = Annotated[
    str,
    Field(
        max_length=254,
        # https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address, and at least one dot in the domain
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$",
        description="E-mail address.",
    ),
]
Country = Annotated[str, Field(max_length=80, description="Country, in English.")]
Notes = Annotated[str, Field(max_length=2000, description="What colleagues should know.")]


class Customer(BaseModel):
    """One customer.

    Attributes:
        since: Day on which they became a customer.
    """

    model_config = ConfigDict(frozen=True)

    id: int
    name: str
    email: str
    plan: Plan
    since: date
    country: str
    notes: str


class Found(BaseModel):
    """Answer to a search.

    Attributes:
        total: How many customers match.
        hint: Where nothing was found: which words are to blame, so that the next search is a better one.
        customers: The first of them, by id.
    """

    model_config = ConfigDict(frozen=True)

    total: int
    hint: str = Field(default="", exclude_if=lambda hint: not hint)
    customers: list[Customer]


class Invoice(BaseModel):
    """One invoice."""

    model_config = ConfigDict(frozen=True)

    number: str
    customer_id: int
    issued: date
    amount_usd: Decimal
    status: InvoiceStatus


class SentEmail(BaseModel):
    """What was sent.

    Attributes:
        file: Name of the copy in the outbox.
    """

    model_config = ConfigDict(frozen=True)

    message_id: str
    to: str
    subject: str
    file: str
