"""Reading and changing customers on an open connection."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Any

from crm.records import Customer, Found, Invoice, InvoiceStatus
from crm.words import matches, words
from entracte.errors import ToolError

_LABELS = {*Customer.model_fields, "customer", "customers", "mail", "address", "note"}

_FILLERS = {"a", "an", "and", "called", "for", "in", "is", "named", "number", "of", "on", "s", "the", "to", "with"}

_BLAMED_WORDS = 10
"""Words of a query that are looked for one by one when all of them found nothing."""

_NAMED_PARTS = 3
"""Parts of a query that a hint names, longest first: a name before a plan."""

_CANDIDATES = 5
"""Customers that are named where more than one fits."""

_TEXT = "name || ' ' || email || ' ' || plan || ' ' || country || ' ' || notes"


def search(connection: sqlite3.Connection, query: str, limit: int) -> Found:
    """Customers in whose record every word of the query begins some word, or whose number the query is.

    Where nothing is found so, names of fields and words between words are not looked for: people ask for the "plan of
    Lovelace", and no record says so.

    Raises:
        ToolError: There is no word in the query.
    """
    wanted = words(query)
    if not wanted:
        raise ToolError(
            f"There is no word to look for in {query!r}.", remedy="Give a name, e-mail, plan, country or note."
        )
    sought = [word for word in wanted if word not in _LABELS | _FILLERS]
    rows = _rows(connection, wanted) or (_rows(connection, sought) if sought else [])
    hint = "" if rows else _hint(connection, sought or wanted)
    return Found(total=len(rows), hint=hint, customers=[_customer(row) for row in rows[:limit]])


def _hint(connection: sqlite3.Connection, wanted: list[str]) -> str:
    """What of a query that found nothing would find something: as much of it as stands in one record."""
    asked = list(dict.fromkeys(wanted))[:_BLAMED_WORDS]
    texts = [text for (text,) in connection.execute(f"SELECT {_TEXT} FROM customers")]
    held = Counter(tuple(word for word in asked if matches(text, word)) for text in texts)
    unknown = [word for word in asked if not any(word in part for part in held)]
    if len(unknown) == len(asked):
        return f"No record holds {' or '.join(unknown)}."
    largest = [part for part in held if not any(set(part) < set(other) for other in held)]
    largest.sort(key=lambda part: -len("".join(part)))
    tries = " or ".join(f'"{" ".join(part)}" (finds {held[part]})' for part in largest[:_NAMED_PARTS])
    return f"No record holds {' or '.join(unknown) or 'all of these words'}. Try {tries}."


def _rows(connection: sqlite3.Connection, sought: list[str]) -> list[sqlite3.Row]:
    return connection.execute(
        f"SELECT * FROM customers WHERE matches({_TEXT}, ?1) OR id = ?1 ORDER BY id",
        (" ".join(sought),),
    ).fetchall()


def get(connection: sqlite3.Connection, customer_id: int) -> Customer:
    """One customer.

    Raises:
        ToolError: Not found.
    """
    row = connection.execute("SELECT * FROM customers WHERE id = ?", (customer_id,)).fetchone()
    if row is None:
        raise ToolError(f"Customer {customer_id} was not found.", remedy="Use search_customers to find the right id.")
    return _customer(row)


def the_one(connection: sqlite3.Connection, who: int | str) -> Customer:
    """The one customer whom a number, or a name, an address or other words of the record, mean.

    Raises:
        ToolError: Nobody is meant, or more than one.
    """
    if isinstance(who, int):
        return get(connection, who)
    found = search(connection, who, _CANDIDATES)
    if found.total == 1:
        return found.customers[0]
    if not found.total:
        raise ToolError(f"No customer is {who!r}. {found.hint}", remedy="Give a name, an e-mail address or a number.")
    candidates = "; ".join(f"{each.id} {each.name}, {each.email}, {each.plan}" for each in found.customers)
    raise ToolError(f"{found.total} customers fit {who!r}: {candidates}.", remedy="Give the number of the one meant.")


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that have a value.

    Raises:
        ToolError: None has.
    """
    if not (changes := {field: value for field, value in fields.items() if value is not None}):
        raise ToolError(
            "Nothing to change was given.", remedy="Give at least one of name, email, plan, country and notes."
        )
    return changes


def update(connection: sqlite3.Connection, customer_id: int, changes: Mapping[str, Any]) -> Customer:
    """Replace the named fields of a customer, and give the customer as it is now.

    Raises:
        ToolError: Not found, or nothing to change.
    """
    changed = get(connection, customer_id).model_copy(update=given(changes))
    connection.execute(
        "UPDATE customers SET name = :name, email = :email, plan = :plan, country = :country, notes = :notes"
        " WHERE id = :id",
        changed.model_dump(mode="json"),
    )
    return changed


def create(connection: sqlite3.Connection, fields: Mapping[str, Any]) -> Customer:
    """Add a customer, under a new id unless one is given.

    Raises:
        ToolError: The id is taken.
    """
    try:
        row = connection.execute(
            "INSERT INTO customers VALUES (:id, :name, :email, :plan, :since, :country, :notes) RETURNING *",
            dict(fields),
        ).fetchone()
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
            raise
        raise ToolError(
            f"There is a customer {fields['id']} already.", remedy="Leave id out to get a new one."
        ) from error
    return _customer(row)


def delete(connection: sqlite3.Connection, customer_id: int) -> Customer:
    """Remove a customer, and give the record as it was.

    Raises:
        ToolError: Not found, or there are invoices, which the law wants kept.
    """
    gone = get(connection, customer_id)
    if kept := ", ".join(invoice.number for invoice in invoices(connection, customer_id, None)):
        raise ToolError(
            f"Customer {customer_id} ({gone.name}) has invoices, which must be kept: {kept}.",
            remedy="Check that this is the customer you mean; one with invoices cannot be deleted.",
        )
    connection.execute("DELETE FROM customers WHERE id = ?", (customer_id,))
    return gone


def invoices(connection: sqlite3.Connection, customer_id: int, status: InvoiceStatus | None) -> list[Invoice]:
    """A customer's invoices, oldest first; of any status when it is None.

    Raises:
        ToolError: There is no such customer.
    """
    get(connection, customer_id)
    rows = connection.execute(
        "SELECT number, customer_id, issued, status,"
        " printf('%d.%02d', amount_cents / 100, amount_cents % 100) AS amount_usd"
        " FROM invoices WHERE customer_id = ? AND status = coalesce(?, status) ORDER BY issued, number",
        (customer_id, status),
    )
    return [Invoice.model_validate(dict(row)) for row in rows]


def _customer(row: sqlite3.Row) -> Customer:
    return Customer.model_validate(dict(row))
