"""Runs of MCP clients on the command line, like any other (cli/)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from entracte.core.client_calls.opening import Client
from entracte.runtime.local.embedded_manifest import open_manifest
from entracte.runtime.services.client_calls import ClientCalls
from entracte.runtime.settings import read_settings
from tests.gateway.sessions import write_manifest

CLIENT = Client(owner="local", session="s", name="desktop 1.0")


@pytest.fixture
def noted(call, tmp_path: Path):
    """A client has changed the note, and waits to publish it; gives the command line in its folder."""
    embedded = open_manifest(write_manifest(tmp_path), read_settings({}))
    calls = ClientCalls(embedded.runtime.engine)
    calls.call(CLIENT, "notes.write_note", {"text": "new"})
    calls.call(CLIENT, "notes.publish", {"text": "new"})
    embedded.close()
    return call


def test_it_is_listed_and_shown(noted):
    """With the client's name, every call, and what waits."""
    listed = noted("list").out.splitlines()[1]
    assert "mcp client" in listed and "Calls of desktop 1.0." in listed
    shown = noted("show").out
    assert '✓ notes.write_note(text="new")' in shown and '↶ notes.write_note(text="")' in shown
    assert '? notes.publish(text="new")  gated' in shown
    assert '? notes.publish(text="new")  gated' in noted("watch").out
    assert "asked by agent mcp client, for local" in noted("gates").out


def test_approving_says_what_the_client_has_to_do(noted, monkeypatch):
    """And starts none of its servers: nothing is called before the client asks again."""
    monkeypatch.setattr(sys, "executable", "/nowhere")
    done = noted("approve")
    assert (done.code, done.err) == (0, "The call is made when the client asks for it again, within an hour.\n")
    assert json.loads(noted("show", "--json").out)["actions"][1]["status"] == "approved"


def test_denying_says_when_the_client_hears_of_it(noted):
    """With the reason that was given."""
    done = noted("deny", "--reason", "Not now.")
    assert (done.code, done.err) == (0, "The client is told when it asks again.\n")
    assert "Denied by local. Not now." in noted("show").out


def test_a_decision_that_does_not_count_is_refused(noted):
    """As at any gate."""
    gate = json.loads(noted("gates", "--json").out)["gates"][0]["id"]
    noted("deny", gate)
    again = noted("approve", gate)
    assert (again.code, "denied" in again.err) == (1, True)


def test_it_is_undone_with_the_servers_of_its_manifest(noted, tmp_path: Path):
    """Found by the run, whatever network is the default."""
    assert (tmp_path / "notes.note").read_text() == "new"
    assert noted("undo", "-y").code == 0
    assert (tmp_path / "notes.note").read_text() == ""


def test_a_proxy_without_a_manifest_says_where_it_looked(call, tmp_path: Path):
    """And how to get one."""
    done = call("proxy")
    assert (done.code, done.out) == (2, "")
    assert f"There is no policy.yaml in {tmp_path} or above it." in done.err


def test_a_proxy_whose_server_does_not_start_says_so(call, tmp_path: Path):
    """In words, on standard error."""
    (tmp_path / "policy.yaml").write_text("version: 1\nservers: {odd: {command: /no/such/program}}\ntools: []\n")
    done = call("proxy")
    assert (done.code, done.out) == (2, "")
    assert "MCP server odd: there is no command '/no/such/program'." in done.err
