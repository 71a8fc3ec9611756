"""The four-agent desk, by its script (sales/)."""

import re
from pathlib import Path

import pytest

import sales
from entracte.agents import Network
from sales.database import TABLES, transaction
from sales.tools.web import pages
from tests.samples.conftest import Open

WHY = "Which tea sold best in April and May, and why?"
LOWER = "Assam has become cheaper at the auctions. Lower our price by a tenth."


def records() -> list[tuple[object, ...]]:
    """Everything that agents can change."""
    with transaction(Path(".entracte/sales.sqlite3")) as connection:
        return [tuple(row) for table in TABLES for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")]


@pytest.fixture
def desk(opened: Open) -> Network:
    """The sample, over a new database."""
    return opened(sales.network)


def test_figures_and_reasons_come_from_the_database_and_from_a_page(desk: Network):
    """Sums of SQL's, and a page's own words with its address; nobody is asked about a statement that only reads."""
    run = desk.run(WHY).raise_for_status()
    assert run.text == (
        "Sencha sold best: 13400 g in 19 orders, before Assam with 7000 g. "
        f"https://tea-herald.example/spring-harvest: {pages()[0].text}"
    )


def test_the_leader_knows_the_tables_before_it_plans(desk: Network):
    """Its initial tool has run, and the result is in the state that all agents share."""
    facts = [fact["text"] for fact in desk.run(WHY).raise_for_status().state["facts"]]
    assert [re.match(r"The database has (\d+ \w+): CREATE TABLE", fact)[1] for fact in facts[:2]] == [  # type: ignore[index]
        "6 products",
        "600 orders",
    ]


def test_a_change_waits_and_shows_the_rows_that_it_would_change(desk: Network):
    """The person who is asked sees what would be different, not only the statement."""
    before = records()
    run = desk.run(LOWER)
    (gate,) = run.gates
    assert (run.status, records()) == ("waiting", before)
    assert [line for line in gate["preview"] if line.startswith("|")] == [
        '|-  products {"id": 2, "name": "Assam", "kind": "black", "price_cents": 700}',
        '|+  products {"id": 2, "name": "Assam", "kind": "black", "price_cents": 630}',
    ]


def test_an_approved_change_is_made_and_taken_back(desk: Network):
    """Row by row, by what the database wrote down while the statement ran."""
    before = records()
    run = desk.run(LOWER)
    desk.decide(run.gates[0]["id"], "approve")
    assert desk.wait(run.id).raise_for_status().text == "Assam cost 700 cents until now. Assam costs 630 cents now."
    assert [new for old, new in zip(before, records(), strict=True) if old != new] == [(2, "Assam", "black", 630)]
    assert (desk.undo(run.id).status, records()) == ("undone", before)


def test_a_denied_change_is_not_made_and_the_desk_says_so(desk: Network):
    """With the person's reason."""
    before = records()
    run = desk.run(LOWER)
    desk.decide(run.gates[0]["id"], "deny", reason="Not before Christmas.")
    answer = desk.wait(run.id).raise_for_status().text
    assert "The price of Assam stays." in answer and "Not before Christmas." in answer
    assert records() == before


def test_an_undo_stops_where_somebody_has_changed_the_table_since(desk: Network):
    """What they did is not overruled."""
    run = desk.run(LOWER)
    desk.decide(run.gates[0]["id"], "approve")
    desk.wait(run.id).raise_for_status()
    with transaction(Path(".entracte/sales.sqlite3")) as connection:
        connection.execute("UPDATE products SET price_cents = 999 WHERE id = 1")
    after = records()
    assert (desk.undo(run.id).status, records()) == ("partial", after)


def test_small_talk_is_answered_without_the_others(desk: Network):
    """It interprets and answers."""
    run = desk.run("Good morning!").raise_for_status()
    assert "Which tea sold best" in run.text and run.usage["model_calls"] == 2
