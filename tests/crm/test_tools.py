"""The desk's tools as agents call them (tools/)."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from crm import network
from crm.database import dump
from crm.deps import Crm
from crm.once import times_asked
from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.tools import PythonTools
from entracte.core.calls import Call, ToolOutcome

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

ADA = {
    "id": 17,
    "name": "Ada Lovelace",
    "email": "ada@analytical-engines.example",
    "plan": "Free",
    "since": "2019-12-10",
    "country": "United Kingdom",
    "notes": "Writes the best bug reports.",
}


class StoppedClock:
    """A clock that shows one time for ever."""

    def now(self) -> datetime:
        return NOW


def call(crm: Crm, tool: str, arguments: Mapping[str, Any], key: str = "run.1.0") -> ToolOutcome:
    """Call a tool of the network the way the execute phase does."""
    specs = network.blueprint.tools
    tools = PythonTools(
        network.functions,
        readonly=frozenset(name for name, spec in specs.items() if spec.readonly),
        hooks=(),
        context=lambda call: ToolContext(call, deps=lambda: crm, read_state=lambda _: {}, secret=lambda name: name),
        clock=StoppedClock(),
    )
    return tools.call(
        Call(
            run="run", session="s", frame="run", agent="records", step=1, action=key, tool=tool, arguments=arguments,
            idempotency_key=key, attempt=1, user="me", metadata={}, deadline=NOW + timedelta(seconds=30),
        )
    )  # fmt: skip


def test_searches_and_readings_are_declared_to_change_nothing():
    """And every tool that changes records honours the idempotency key; the mail does not promise it."""
    specs = network.blueprint.tools
    assert {name: (spec.effect, spec.idempotent) for name, spec in specs.items()} == {
        "search_customers": ("readonly", False),
        "get_customer": ("readonly", False),
        "list_invoices": ("readonly", False),
        "update_customer": ("changing", True),
        "create_customer": ("changing", True),
        "delete_customer": ("changing", True),
        "send_email": ("changing", False),
    }


def test_every_tool_says_how_its_results_are_judged():
    """And describes each of its arguments, or lists the values that it may have."""
    specs = network.blueprint.tools
    assert [name for name, spec in specs.items() if not spec.evaluation] == []
    bare = [
        f"{name}.{argument}"
        for name, spec in specs.items()
        for argument, schema in spec.parameters["properties"].items()
        if not {"description", "enum"} & set(schema).union(*schema.get("anyOf", ()))
    ]
    assert bare == []


def test_a_record_comes_back_as_json(crm: Crm):
    """Dates as text, as a model reads them and a template refers to them."""
    assert call(crm, "get_customer", {"id": 17}).result == ADA
    assert call(crm, "search_customers", {"query": "lovelace"}).result == {"total": 1, "customers": [ADA]}


def test_money_comes_back_as_exact_text(crm: Crm):
    """No float ever holds an amount."""
    assert [invoice["amount_usd"] for invoice in call(crm, "list_invoices", {"customer_id": 42}).result] == [
        "588.00",
        "96.00",
    ]


def test_an_update_is_made_once_for_each_key(crm: Crm):
    """A call that is delivered again gives the first result, though the record has moved on."""
    first = call(crm, "update_customer", {"id": 17, "plan": "Pro"})
    call(crm, "update_customer", {"id": 17, "plan": "Team"}, key="run.2.0")
    again = call(crm, "update_customer", {"id": 17, "plan": "Pro"})
    assert (first.ending, first.result) == ("applied", ADA | {"plan": "Pro"})
    assert again == first
    assert call(crm, "get_customer", {"id": 17}).result["plan"] == "Team"
    assert times_asked(crm.database) == {"run.1.0": 2, "run.2.0": 1}


def test_a_customer_is_created_once_for_each_key(crm: Crm):
    """On Free from today, unless something else is said."""
    arguments = {"name": "Hedy Lamarr", "email": "hedy@hopping.example"}
    created = [call(crm, "create_customer", arguments) for _ in range(2)]
    assert [outcome.result["id"] for outcome in created] == [501, 501]
    assert created[0].result["plan"] == "Free"
    assert call(crm, "search_customers", {"query": "Hedy"}).result["total"] == 1


def test_a_deletion_gives_what_it_takes_to_undo_it(crm: Crm):
    """Its result, given to create_customer, leaves the records as they were."""
    before = dump(crm.database)
    gone = call(crm, "delete_customer", {"id": 431})
    assert call(crm, "get_customer", {"id": 431}).ending == "failed"
    assert call(crm, "create_customer", gone.result, key="undo").ending == "applied"
    assert dump(crm.database) == before


@pytest.mark.parametrize("tool", ["get_customer", "update_customer", "delete_customer"])
def test_an_unknown_id_is_a_call_that_did_nothing(crm: Crm, tool: str):
    """The agent is told which id, and how to find the right one."""
    outcome = call(crm, tool, {"id": 999} | ({"plan": "Pro"} if tool == "update_customer" else {}))
    assert (outcome.ending, outcome.error) == (
        "failed",
        "Customer 999 was not found. Use search_customers to find the right id.",
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("update_customer", {"id": 17, "plan": "Gold"}, "/plan"),
        ("update_customer", {"id": 17, "email": "not an address"}, "/email"),
        ("update_customer", {"id": 17, "email": "ada@a.example\nBcc: eve@e.example"}, "/email"),
        ("update_customer", {"id": 17, "name": " "}, "/name"),
        ("update_customer", {"id": 17, "since": "2020-01-01"}, "/since"),
        ("get_customer", {"id": 0}, "/id"),
        ("search_customers", {"query": "ada", "limit": 1000}, "/limit"),
        ("send_email", {"to": "ada@a.example", "subject": "two\nlines", "body": "x"}, "/subject"),
        ("send_email", {"to": "ada@a.example, bob@b.example", "subject": "x", "body": "x"}, "/to"),
    ],
)
def test_arguments_that_do_not_fit_change_nothing(crm: Crm, tool: str, arguments: dict[str, Any], said: str):
    """The agent is told which one it was."""
    before = dump(crm.database)
    outcome = call(crm, tool, arguments)
    assert outcome.ending == "failed"
    assert f"The arguments do not fit: {said}" in outcome.error
    assert (dump(crm.database), crm.outbox.folder.exists()) == (before, False)


def test_a_mail_lies_in_the_outbox(crm: Crm):
    """Once for each key, and the result says where."""
    arguments = {"to": "ada@analytical-engines.example", "subject": "You are on Pro", "body": "Dear Ada"}
    sent = [call(crm, "send_email", arguments) for _ in range(2)]
    assert sent[0] == sent[1]
    assert [file.name for file in crm.outbox.folder.iterdir()] == [sent[0].result["file"]]
