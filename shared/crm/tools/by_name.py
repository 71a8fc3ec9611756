"""A tool for models that make things up: it finds the customer itself, and takes one field and its value, no more."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from crm import customers
from crm.database import reading
from crm.deps import Crm
from crm.once import once
from crm.records import Country, Email, Name, Notes, Plan
from entracte.agents import Prepared, ToolContext, tool
from entracte.errors import ToolError

Who = Annotated[
    int | Annotated[str, Field(min_length=1, max_length=200)],
    Field(description="The customer's name, e-mail address or number, and nothing else."),
]
FieldName = Literal["name", "email", "plan", "country", "notes"]

_KINDS: Final[Mapping[FieldName, TypeAdapter[Any]]] = {
    "name": TypeAdapter(Name),
    "email": TypeAdapter(Email),
    "plan": TypeAdapter(Plan),
    "country": TypeAdapter(Country),
    "notes": TypeAdapter(Notes),
}


class Changed(BaseModel):
    """What was changed. The record is left out: shown its new value alone, small models say that it was so already.

    Attributes:
        changed: The field, what it was and what it is: ``plan: Free → Pro``.
    """

    model_config = ConfigDict(frozen=True)

    id: int
    name: str
    changed: str


def _meant(arguments: dict[str, Any], ctx: ToolContext[Crm]) -> Prepared:
    """The call with the number in place of the name: what a person agrees to holds for this record alone."""
    _checked(arguments["field"], arguments["value"])
    with reading(ctx.deps.database) as connection:
        customer = customers.the_one(connection, arguments["who"])
    return Prepared(arguments=arguments | {"who": customer.id})


@tool(
    evaluation="What was changed is what was asked for, and the name is that of the right person.",
    idempotent=True,
    prepare=_meant,
)
def change_customer(
    ctx: ToolContext[Crm],
    who: Who,
    field: Annotated[FieldName, Field(description="The one field that is to change.")],
    value: Annotated[str, Field(max_length=2000, description="What it is to be then.")],
) -> Changed:
    """Change one field of one customer's record."""
    return once(
        ctx.deps.database,
        ctx.idempotency_key,
        "change_customer",
        {"who": who, "field": field, "value": value},
        lambda connection: _changed(connection, who, field, _checked(field, value)),
        Changed,
    )


def _changed(connection: sqlite3.Connection, who: int | str, field: FieldName, value: str) -> Changed:
    before = customers.the_one(connection, who)
    after = customers.update(connection, before.id, {field: value})
    changed = f"{field}: {getattr(before, field)} → {getattr(after, field)}"
    return Changed(id=after.id, name=after.name, changed=changed)


def _checked(field: FieldName, value: str) -> str:
    """The value, which is one that the field may have.

    Raises:
        ToolError: It is not.
    """
    try:
        return str(_KINDS[field].validate_python(value))
    except ValidationError as error:
        raise ToolError(f"{value!r} cannot be a customer's {field}: {error.errors()[0]['msg']}.") from None
