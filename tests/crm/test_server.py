"""The sample as an MCP server (crm/server.py)."""

import pytest

from crm import server
from crm.database import dump, make_database

NEW = {"name": "Katherine Johnson", "email": "katherine@langley.example"}


@pytest.fixture
def database(tmp_path, monkeypatch):
    """The database that the server works on, new."""
    path = tmp_path / "crm.sqlite3"
    monkeypatch.setenv("CRM_DATABASE", str(path))
    make_database(path)
    return path


def test_a_call_that_is_repeated_with_its_key_changes_nothing_more(database):
    """And gives the same answer; another key is another call."""
    first = server.call("create_customer", NEW, "key")
    after = dump(database)
    assert (server.call("create_customer", NEW, "key"), dump(database)) == (first, after)
    assert (
        server.call("create_customer", {**NEW, "email": "kj@langley.example"}, "other").structured_content["id"] == 502
    )


def test_a_list_is_told_as_text(database):
    """The protocol's older versions have structured content for objects only."""
    result = server.call("list_invoices", {"customer_id": 17}, "key")
    assert (result.structured_content, result.content[0].text[:1], result.is_error) == (None, "[", False)


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("get_customer", {"id": 99_999}, "was not found"),
        ("get_customer", {"id": "x"}, "The arguments do not fit: /id"),
        ("drop_table", {}, "There is no tool 'drop_table'. Tools: search_customers, "),
    ],
)
def test_what_is_refused_is_an_error_that_says_why(database, tool, arguments, why):
    """Nothing was done then."""
    before = dump(database)
    result = server.call(tool, arguments, "key")
    assert (result.is_error, why in result.content[0].text, dump(database)) == (True, True, before)


def test_the_tools_say_what_they_are():
    """Readonly and idempotent hints, and a schema each."""
    hints = {
        t.name: (t.annotations.read_only_hint, t.annotations.idempotent_hint)
        for t in map(server.described, server.TOOLS.values())
    }
    assert hints == {
        "search_customers": (True, False),
        "get_customer": (True, False),
        "list_invoices": (True, False),
        "update_customer": (False, True),
        "create_customer": (False, True),
        "delete_customer": (False, True),
        "send_email": (False, False),
    }
