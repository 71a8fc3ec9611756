"""The database file and the records in it (database.py, seed.py)."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

from crm.database import dump, make_database, open_database, writing
from crm.deps import Crm
from crm.seed import all_customers, all_invoices

DUMP_SHA256 = "00b9f4c46ec986eb87991b05c11793d1d926ebc25438b889d912aae7ba62516d"


def test_a_new_database_is_always_the_same(template: Path):
    """In every Python version: examples, scripts and recorded runs speak of these records."""
    assert hashlib.sha256(dump(template).encode()).hexdigest() == DUMP_SHA256


def test_the_dump_tells_every_record(template: Path):
    """A change of any row shows in it."""
    rows = [json.loads(line) for line in dump(template).splitlines()]
    assert Counter(row["table"] for row in rows) == {"customers": len(all_customers()), "invoices": len(all_invoices())}


def test_the_cast_is_at_its_place():
    """Who examples speak of, and how often there is somebody of that name."""
    names = Counter(customer.name for customer in all_customers())
    assert {name: names[name] for name in ("Ada Lovelace", "Grace Hopper", "Alan Turing")} == {
        "Ada Lovelace": 1,
        "Grace Hopper": 1,
        "Alan Turing": 2,
    }
    assert [name for name, count in names.items() if count > 1] == ["Alan Turing"]


def test_only_the_duplicate_of_alan_turing_has_no_invoices():
    """So that the right one of the two can be deleted, and the other cannot."""
    turings = {customer.id for customer in all_customers() if customer.name == "Alan Turing"}
    assert turings == {108, 431}
    assert {invoice.customer_id for invoice in all_invoices()} & turings == {108}


def test_free_customers_have_no_invoices():
    """Nobody is billed for nothing, and nobody before they came."""
    customers = {customer.id: customer for customer in all_customers()}
    assert not [
        i
        for i in all_invoices()
        if customers[i.customer_id].plan == "Free" or i.issued < customers[i.customer_id].since
    ]


@pytest.mark.parametrize("again", [make_database, lambda path: open_database(path).close()], ids=["made", "opened"])
def test_an_existing_database_is_left_as_it_is(crm: Crm, again: Callable[[Path], None]):
    """Not even somebody who began to make it before it was there brings a deleted record back."""
    with writing(crm.database) as connection:
        connection.execute("DELETE FROM customers WHERE id = 431")
    before = dump(crm.database)
    again(crm.database)
    assert dump(crm.database) == before


def test_processes_that_open_a_new_database_at_once_see_one_whole_database(tmp_path: Path):
    """Whoever comes first makes it; nobody sees half of it, and no draft is left over."""
    path = tmp_path / "deep" / "crm.sqlite3"
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as processes:
        dumps = list(processes.map(dump, [path] * 6))
    assert {hashlib.sha256(text.encode()).hexdigest() for text in dumps} == {DUMP_SHA256}
    assert [file.name for file in path.parent.iterdir()] == ["crm.sqlite3"]


def test_a_transaction_that_fails_leaves_nothing(crm: Crm):
    """Not even the part that went well."""
    before = dump(crm.database)
    rows = [("Pro", 17), ("Gold", 42)]
    with pytest.raises(sqlite3.IntegrityError), writing(crm.database) as connection:
        connection.executemany("UPDATE customers SET plan = ? WHERE id = ?", rows)
    assert dump(crm.database) == before


def test_the_schema_refuses_what_is_no_record(crm: Crm):
    """Also from a writer that is not one of our tools."""
    broken = [
        "UPDATE customers SET plan = 'Gold' WHERE id = 17",
        "UPDATE customers SET since = '2024-13-01' WHERE id = 17",
        "UPDATE customers SET name = ' ' WHERE id = 17",
        "DELETE FROM customers WHERE id = 42",
        "INSERT INTO invoices VALUES ('R-1', 100000, '2024-01-01', 100, 'open')",
    ]
    with closing(open_database(crm.database)) as connection:
        for statement in broken:
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)
