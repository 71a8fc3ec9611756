"""The scripted conversations of the sample network, on the real engine (network.py, demo.yaml)."""

import pytest

from crm.database import dump, writing
from crm.deps import Crm
from crm.once import times_asked
from entracte.agents import Network


def test_an_answer_quotes_the_database(desk: Network, crm: Crm):
    """Only words are scripted: with another record, the same script gives another answer."""
    with writing(crm.database) as connection:
        connection.execute("UPDATE customers SET plan = 'Team', since = '2020-02-29' WHERE id = 17")
    run = desk.run("Which plan is Ada Lovelace on, and since when?")
    assert run.raise_for_status().text == "Ada Lovelace is on the Team plan, and a customer since 2020-02-29."


def test_a_second_question_goes_on_in_the_session(desk: Network):
    """What the first one found stays known."""
    first = desk.run("Which plan is Ada Lovelace on, and since when?")
    second = desk.run("What is Grace Hopper's e-mail address, and has she open invoices?", session=first.session)
    assert second.raise_for_status().text == (
        "Grace Hopper's e-mail address is grace.hoper@navy.example, with a note beside it: "
        "Mail bounces since May; she says that her name has two p's. "
        "Invoice R-00646 of 2026-06-09 over 96.00 USD is open."
    )
    assert [fact["text"].split()[0] for fact in second.state["facts"]] == ["Ada", "Grace", "Invoice"]


def test_three_changes_are_made_once_and_the_mail_waits(desk: Network, crm: Crm):
    """In the order that was asked for, and nothing else has changed."""
    before = dump(crm.database).splitlines()
    run = desk.run("Move Ada to Pro, fix Grace's email, remove the duplicate of Alan, mail Ada about it")
    after = dump(crm.database).splitlines()
    assert run.status == "waiting"
    assert [line.split('"name"')[0] for line in before if line not in after] == [
        f'{{"table": "customers", "id": {id}, ' for id in (17, 42, 431)
    ]
    assert len(after) == len(before) - 1
    assert times_asked(crm.database) == {f"{run.id}.1.0.2.{index}": 1 for index in range(3)}
    assert not crm.outbox.folder.exists()


@pytest.mark.parametrize(
    ("decision", "sent", "told"),
    [
        ("approve", 1, '"You are on the Pro plan" was sent to ada@analytical-engines.example.'),
        ("deny", 0, "was not sent to ada@analytical-engines.example. Denied by local. Not today."),
    ],
)
def test_the_desk_reports_what_became_of_the_mail(desk: Network, crm: Crm, decision: str, sent: int, told: str):
    """The script goes on with either decision."""
    run = desk.run("Move Ada to Pro, fix Grace's email, remove the duplicate of Alan, mail Ada about it")
    (gate,) = run.gates
    desk.decide(gate["id"], decision, reason="Not today.")
    assert desk.wait(run.id).raise_for_status().text.endswith(told)
    assert len([*crm.outbox.folder.glob("*")]) == sent


def test_anything_else_is_answered_with_what_the_script_knows(desk: Network):
    """Nobody should have to read the script to find a question."""
    assert "Which plan is Ada Lovelace on" in desk.run("Good morning!").raise_for_status().text


def test_the_lookup_network_answers_the_same_question(lookup: Network):
    """One agent with two tools."""
    assert "on the Free plan" in lookup.run("Which plan is Ada Lovelace on?").raise_for_status().text
