"""What statements may do, and that whatever they did can be taken back (sales/statement.py, changes.py)."""

from pathlib import Path
from typing import Any

import pytest

from entracte.agents import ToolError
from sales import statement
from sales.database import TABLES, transaction
from sales.deps import Sales
from sales.tools.database import MAX_ROWS, read_written, run_sql, take_back
from sales.tools.web import open_page, search_web
from tests.samples.conftest import context

CHANGES = [
    "UPDATE products SET price_cents = price_cents + 1",
    "UPDATE orders SET id = id + 10000 WHERE city = 'Oslo'",
    "DELETE FROM orders WHERE grams > 300",
    "INSERT INTO products VALUES (7, 'Pu''erh', 'black', 1800), (8, 'Bai Mudan', 'white', 1600)",
    "REPLACE INTO orders (id, product_id, day, city, grams) VALUES (1, 6, '2026-11-30', 'Turku', 50)",
    "INSERT INTO products VALUES (2, 'Assam', 'black', 650) ON CONFLICT (id) DO UPDATE SET price_cents = 650",
    "WITH dear AS (SELECT id FROM products WHERE price_cents > 2000) DELETE FROM orders WHERE product_id IN dear",
]

FORBIDDEN = [
    "DROP TABLE orders",
    "PRAGMA writable_schema = ON",
    "ATTACH 'other.sqlite3' AS other",
    "COMMIT",
    "CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM products; END",
    "DELETE FROM undo_log",
    "UPDATE changes SET taken_back = 1",
    "DELETE FROM sqlite_schema",
    "SELECT 1; DELETE FROM orders",
    "DELETE FROM products",  # orders refer to them
    "Cheaper, please",
]


@pytest.fixture
def shop(tmp_path: Path) -> Sales:
    """A new database."""
    return Sales(tmp_path / "sales.sqlite3")


def rows(shop: Sales) -> list[Any]:
    """Everything that agents can change."""
    with transaction(shop.database) as connection:
        return [tuple(row) for table in TABLES for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")]


@pytest.mark.parametrize("sql", CHANGES)
def test_every_row_of_a_change_is_put_back(shop: Sales, sql: str):
    """Inserted, updated, deleted, replaced; also where a row's id has changed."""
    before = rows(shop)
    ran = run_sql(context(shop), sql)
    assert rows(shop) != before and ran.rows_changed > 0
    take_back(context(shop, "run.u"), ran.change)
    assert rows(shop) == before


@pytest.mark.parametrize("sql", CHANGES)
def test_what_is_shown_beforehand_is_what_happens(shop: Sales, sql: str):
    """The rehearsal leaves nothing behind, and names as many rows as the change then has."""
    before = rows(shop)
    diff = run_sql.function.prepare({"sql": sql}, context(shop)).diff  # type: ignore[misc]
    assert rows(shop) == before
    run_sql(context(shop), sql)
    gone, new = set(before) - set(rows(shop)), set(rows(shop)) - set(before)
    assert (len([d for d in diff if d[0] == "-"]), len([d for d in diff if d[0] == "+"])) == (len(gone), len(new))


@pytest.mark.parametrize("sql", FORBIDDEN)
def test_anything_but_one_read_or_write_of_rows_is_refused(shop: Sales, sql: str):
    """Before a person is asked, with a remedy, and with nothing changed."""
    before = rows(shop)
    for refused in (run_sql.function.prepare, lambda arguments, ctx: run_sql(ctx, **arguments)):
        with pytest.raises(ToolError, match="Nothing was changed") as told:
            refused({"sql": sql}, context(shop))  # type: ignore[misc]
        assert told.value.remedy.endswith("or orders (id, product_id, day, city, grams).")
    assert rows(shop) == before


def test_changes_are_taken_back_one_by_one(shop: Sales):
    """The last one first, each by itself; one that is taken back already stays so."""
    states, numbers = [rows(shop)], []
    for number in range(3):
        sql = f"UPDATE products SET price_cents = price_cents * 2 WHERE id > {number}"
        numbers.append(run_sql(context(shop, f"run.{number}"), sql).change)
        states.append(rows(shop))
    for number in reversed(range(3)):
        assert rows(shop) == states[number + 1]
        assert take_back(context(shop, "u"), numbers[number]) == take_back(context(shop, "u"), numbers[number])
    assert rows(shop) == states[0]


def test_a_call_that_is_repeated_after_a_crash_changes_once(shop: Sales):
    """Its key is known, so it is told what it has done."""
    sql = "UPDATE products SET price_cents = price_cents + 1"
    first = run_sql(context(shop), sql)
    after = rows(shop)
    assert (run_sql(context(shop), sql), rows(shop)) == (first, after)


def test_a_statement_that_reads_writes_no_table(shop: Sales):
    """So an undo has nothing to compare, and nothing to take back."""
    sql = "SELECT count(*) AS n FROM orders"
    ran = run_sql(context(shop), sql)
    assert (ran.rows, ran.change, read_written(context(shop), sql)) == ([{"n": 600}], 0, {})


def test_a_long_result_says_that_there_is_more(shop: Sales):
    """Of 600 orders, fifty are shown."""
    ran = run_sql(context(shop), "SELECT * FROM orders")
    assert (len(ran.rows), ran.more_rows) == (MAX_ROWS, True)


def test_a_statement_without_end_is_stopped(shop: Sales, monkeypatch: pytest.MonkeyPatch):
    """An agent's mistake keeps nobody waiting."""
    monkeypatch.setattr(statement, "MAX_S", 0)
    endless = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(ToolError, match="interrupted"):
        run_sql(context(shop), endless)


def test_hits_with_more_of_the_words_come_first():
    """And what is found can be opened."""
    hits = search_web("first flush april buy")
    assert hits[0].url == "https://tea-herald.example/spring-harvest"
    assert open_page(hits[0].url).text.startswith(hits[0].snippet)
    with pytest.raises(ToolError, match="There is no page"):
        open_page("https://nowhere.example/")
