"""The mcp function on the emulators: a client's session, from its first call to its undo."""

from __future__ import annotations

import pytest
from mcp.client.streamable_http import streamable_http_client

from entracte.client import Client
from stack import Stack
from tests.gateway.sessions import Session, session_over

pytestmark = pytest.mark.emulator


def plan_of(session: Session, customer: int) -> str:
    """A customer's plan."""
    return str(session.call("get_customer", id=customer)["structuredContent"]["plan"])


def test_a_clients_session_is_held_approved_and_undone(stack: Stack):
    """Calls over HTTP, the decision and the undo through the API, other functions doing the rest."""
    with session_over(streamable_http_client(f"http://{stack.addresses['mcp']}/")) as session:
        before = plan_of(session, 17)
        session.call("update_customer", id=17, plan="Team")
        mail = {"to": "ada@analytical-engines.example", "subject": "Hi", "body": "You are on Team now."}
        held = session.call("send_email", **mail)["content"][0]["text"]
        with Client(stack.api_url) as client:
            (gate,) = client.gates(status="waiting").gates
            assert held.startswith(f"HELD, and not made: a person has to approve it. Gate {gate['id']}.")
            client.decide(gate["id"], "approve", digest=gate["digest"])
            sent = session.call("send_email", **mail)
            undone = client.undo(gate["run"])
        after = plan_of(session, 17)
    assert sent.get("isError") in (None, False)
    assert (before, after) == ("Free", "Free")
    assert undone.status == "partial"  # the mail stays sent
    assert undone.data["undo"]["reverted"] and undone.data["undo"]["permanent"]
