"""Reading and changing customers (customers.py)."""

from datetime import date
from decimal import Decimal

import pytest

from crm import customers
from crm.database import dump, reading, writing
from crm.deps import Crm
from crm.records import Customer, Found, Invoice
from entracte.errors import ToolError

ADA = Customer(
    id=17,
    name="Ada Lovelace",
    email="ada@analytical-engines.example",
    plan="Free",
    since=date(2019, 12, 10),
    country="United Kingdom",
    notes="Writes the best bug reports.",
)


def search(crm: Crm, query: str, limit: int = 10) -> Found:
    """A search on a connection of its own."""
    with reading(crm.database) as connection:
        return customers.search(connection, query, limit)


def test_a_hit_shows_the_whole_record(crm: Crm):
    """So an agent need not get it again."""
    assert search(crm, "lovelace ada") == Found(total=1, customers=[ADA])


def test_the_total_counts_hits_beyond_the_limit(crm: Crm):
    """Else an agent takes the page for the whole."""
    found = search(crm, "Japan", limit=3)
    assert (found.total, len(found.customers)) == (31, 3)


@pytest.mark.parametrize(
    ("query", "id"),
    [("伊藤", 211), ("ладыженская", 256), ("lukasz wojcik", 438), ("KIVANÇ güneş", 485), ("sean o briain", 329)],
)
def test_names_of_any_script_are_found(crm: Crm, query: str, id: int):
    """With their accents or without."""
    assert [customer.id for customer in search(crm, query).customers] == [id]


def test_the_name_of_a_field_stands_in_nobodys_way(crm: Crm):
    """Nor does it hide the records that hold it as a word."""
    assert search(crm, "plan of Lovelace") == search(crm, "Lovelace's plan") == Found(total=1, customers=[ADA])
    assert search(crm, "plan of Pascal").total == search(crm, "plan of the customer").total == 0
    assert [customer.id for customer in search(crm, "her name").customers] == [42]


def test_a_number_alone_is_a_customers(crm: Crm):
    """It is what people have before them when they ask."""
    assert search(crm, "17") == search(crm, "customer id 17") == Found(total=1, customers=[ADA])


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("Lovelace", ""),
        ("Pascal Blaise", "No record holds pascal or blaise."),
        ("Lovelace Prohibition", 'No record holds prohibition. Try "lovelace" (finds 1).'),
        ("Lovelace Turing", 'No record holds all of these words. Try "lovelace" (finds 1) or "turing" (finds 2).'),
        ("Set Ada Lovelace to Pro", 'No record holds set. Try "ada lovelace" (finds 1) or "ada pro" (finds 1).'),
    ],
)
def test_a_search_without_hits_says_which_words_are_to_blame(crm: Crm, query: str, hint: str):
    """So that the next one is better; a search with hits says no more than the hits."""
    assert search(crm, query).hint == hint
    assert ("hint" in search(crm, query).model_dump()) == bool(hint)


@pytest.mark.parametrize(
    "query",
    [
        "nobody'; DELETE FROM customers; --",
        "x') OR 1=1 --",
        '" UNION SELECT * FROM invoices --',
        "ada% _",
        "Lovelace\x00",
    ],
)
def test_a_query_is_only_ever_text(crm: Crm, query: str):
    """No quote, wildcard or control character is part of the statement."""
    before = dump(crm.database)
    found = search(crm, query)
    assert found.total <= 1
    assert dump(crm.database) == before


def test_a_hostile_name_is_stored_and_found_as_text(crm: Crm):
    """The same for what is written."""
    name = "Robert'); DROP TABLE customers;--"
    with writing(crm.database) as connection:
        customers.update(connection, 17, {"name": name})
    assert [customer.name for customer in search(crm, name).customers] == [name, "Seán Ó Briain"]


def test_a_query_without_a_word_is_refused(crm: Crm):
    """It would match everybody."""
    with pytest.raises(ToolError, match="no word to look for"):
        search(crm, " .,- ")


@pytest.mark.parametrize("id", [0, -1, 501, 2**62])
def test_an_unknown_id_is_answered_with_a_remedy(crm: Crm, id: int):
    """By whatever looks for it, and it says which id."""
    acts = [
        lambda connection: customers.get(connection, id),
        lambda connection: customers.invoices(connection, id, None),
        lambda connection: customers.update(connection, id, {"plan": "Pro"}),
        lambda connection: customers.delete(connection, id),
    ]
    for act in acts:
        with pytest.raises(ToolError) as caught, writing(crm.database) as connection:
            act(connection)
        assert caught.value.message == f"Customer {id} was not found."
        assert "search_customers" in caught.value.remedy


def test_an_update_changes_the_named_fields_only(crm: Crm):
    """And gives the record as it is now."""
    with writing(crm.database) as connection:
        changed = customers.update(connection, 17, {"plan": "Pro", "notes": ""})
    assert changed == ADA.model_copy(update={"plan": "Pro", "notes": ""})
    assert search(crm, "lovelace").customers == [changed]


def test_an_update_of_nothing_is_refused(crm: Crm):
    """An agent that forgot the value should not believe that it changed something."""
    with pytest.raises(ToolError, match="Nothing to change"), writing(crm.database) as connection:
        customers.update(connection, 17, {})


def test_a_new_customer_gets_an_id_that_nobody_had(crm: Crm):
    """Also when the last one was deleted: an old mail must not come to mean somebody else."""
    fields = ADA.model_dump(mode="json") | {"id": None, "name": "Hedy Lamarr"}
    with writing(crm.database) as connection:
        first = customers.create(connection, fields)
        customers.delete(connection, first.id)
        second = customers.create(connection, fields)
    assert (first.id, second.id) == (501, 502)
    assert second == Customer.model_validate(fields | {"id": 502})


def test_a_deleted_customer_can_be_brought_back_exactly(crm: Crm):
    """Under the former id, so that a deletion can be undone."""
    before = dump(crm.database)
    with writing(crm.database) as connection:
        gone = customers.delete(connection, 431)
    without = dump(crm.database)
    with writing(crm.database) as connection:
        customers.create(connection, gone.model_dump(mode="json"))
    assert without != before
    assert dump(crm.database) == before


def test_an_id_that_is_taken_is_refused(crm: Crm):
    """Bringing somebody back does not replace somebody else."""
    with pytest.raises(ToolError, match="There is a customer 42 already"), writing(crm.database) as connection:
        customers.create(connection, ADA.model_dump(mode="json") | {"id": 42})


def test_a_customer_with_invoices_is_not_deleted(crm: Crm):
    """The agent is told which invoices stand in the way."""
    before = dump(crm.database)
    kept = r"Customer 108 \(Alan Turing\) has invoices, which must be kept: R-00\d+"
    with pytest.raises(ToolError, match=kept), writing(crm.database) as connection:
        customers.delete(connection, 108)
    assert dump(crm.database) == before


def test_invoices_come_oldest_first_in_dollars(crm: Crm):
    """With their cents, whatever the status."""
    with reading(crm.database) as connection:
        all_of_grace = customers.invoices(connection, 42, None)
        open_ones = customers.invoices(connection, 42, "open")
    assert all_of_grace[1:] == open_ones
    assert [(i.issued, i.amount_usd, i.status) for i in all_of_grace] == [
        (date(2025, 12, 9), Decimal("588.00"), "paid"),
        (date(2026, 6, 9), Decimal("96.00"), "open"),
    ]
    assert all(isinstance(invoice, Invoice) for invoice in open_ones)
