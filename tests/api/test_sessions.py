"""Routes of sessions (api/routes/sessions.py)."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from entracte.adapters.memory.store import MemoryStore
from entracte.api.app import create_app
from entracte.api.routes import sessions
from entracte.testing.world import World
from tests.api.conftest import owner_header
from tests.api.echo import EchoModel, echo_network

STATE = "/v1/sessions/s/state"


@pytest.fixture(autouse=True)
def ended_run(api: TestClient, world: World) -> None:
    """A session with one question and its answer."""
    api.post("/v1/runs", json={"message": "hello", "session": "s"})
    world.settle()


def test_a_session_counts_its_turns(api: TestClient):
    """Question and answer."""
    session = api.get("/v1/sessions/s").json()
    assert (session["id"], session["turns"], session["state"]) == ("s", 2, {})


def test_turns_are_read_in_pages(api: TestClient):
    """In the order in which they were said, each whole."""
    first = api.get("/v1/sessions/s/turns?limit=1").json()
    second = api.get("/v1/sessions/s/turns", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    said = [(turn["number"], turn["role"], turn["text"]) for page in (first, second) for turn in page["items"]]
    assert said == [(1, "user", "hello"), (2, "assistant", "You said hello")]
    assert second["next_cursor"] is None


def test_state_is_changed_item_by_item(api: TestClient):
    """A text adds, an id changes, an empty text removes."""
    assert api.patch(STATE, json={"facts": ["one", "two"]}).json() == {
        "facts": [{"id": "F_001", "text": "one"}, {"id": "F_002", "text": "two"}]
    }
    after = api.patch(STATE, json={"facts": [{"id": "F_001", "text": ""}, {"id": "F_002", "text": "zwei"}]})
    assert after.json() == api.get(STATE).json() == {"facts": [{"id": "F_002", "text": "zwei"}]}


def test_a_change_that_fails_in_one_place_changes_nothing(api: TestClient):
    """The answer says in which, and what would be possible."""
    problem = api.patch(STATE, json={"facts": "one", "fcats": "two"}).json()
    assert (problem["status"], problem["type"]) == (422, "urn:entracte:state_refused")
    assert "unknown key 'fcats'; known keys: facts" in problem["detail"]
    assert api.get(STATE).json() == {}


def test_a_reset_forgets_items_but_not_their_ids(api: TestClient):
    """A decision that cites F_001 must not come to mean another fact."""
    api.patch(STATE, json={"facts": "one"})
    assert api.delete(STATE).json() == {"facts": []}
    assert api.patch(STATE, json={"facts": "two"}).json() == {"facts": [{"id": "F_002", "text": "two"}]}


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "/turns"), ("GET", "/state"), ("DELETE", "/state")])
@pytest.mark.parametrize("session", ["s", "unknown", "a.b"])
def test_a_strangers_session_does_not_exist(api: TestClient, method: str, path: str, session: str):
    """No more than one that never was."""
    response = api.request(method, f"/v1/sessions/{session}{path}", headers={"x-owner": "mallory"})
    assert (response.status_code, response.json()["type"]) == (404, "urn:entracte:session_not_found")


def test_nobody_changes_a_strangers_state_or_runs_in_their_session(api: TestClient):
    """And what was there stays."""
    stranger = {"x-owner": "mallory"}
    assert api.patch(STATE, json={"facts": "one"}, headers=stranger).status_code == 404
    assert api.post("/v1/runs", json={"message": "hi", "session": "s"}, headers=stranger).status_code == 404
    assert api.get("/v1/sessions/s").json()["turns"] == 2


class Particular(MemoryStore):
    """A store that chokes on ids which can be none, as Firestore does."""

    def load(self, paths):
        assert all(len(part) <= 64 and not part.startswith("__") for path in paths for part in path.split("/"))
        return super().load(paths)


@pytest.mark.parametrize("id", ["__x__", "x" * 2000, "a.b", "%00", "%20", "%7B"])
@pytest.mark.parametrize("of", ["", "/state", "/turns", "/export", "/artifacts"])
def test_what_can_be_no_session_is_not_asked_of_the_store(id: str, of: str):
    """Which would say that it cannot read such a path: a fault of ours, and not of whoever asks."""
    world = World(echo_network(), EchoModel(), store=Particular())
    client = TestClient(create_app(world.process, identify=owner_header))
    assert client.get(f"/v1/sessions/{id}{of}").status_code == 404


def test_no_session_has_an_id_that_firestore_keeps_for_itself(api: TestClient):
    """It says where the fault lies."""
    refused = api.post("/v1/runs", json={"message": "hi", "session": "__x__"})
    assert (refused.status_code, refused.json()["pointer"]) == (422, "/session")


@pytest.mark.parametrize("what", ["messages", "artifacts"])
def test_what_does_not_fit_into_an_answer_is_not_exported(api: TestClient, monkeypatch: pytest.MonkeyPatch, what: str):
    """One user's export must not take the instance down for everybody."""
    monkeypatch.setattr(sessions, "MAX_EXPORTED_BYTES", 1_000)
    api.post("/v1/sessions/s/artifacts", json={"title": "Small", "content": "x" * 900})
    assert api.get("/v1/sessions/s/export").status_code == 200
    if what == "messages":
        api.post("/v1/runs", json={"message": "x" * 900, "session": "s"})
    else:
        api.post("/v1/sessions/s/artifacts", json={"title": "Another", "content": "x" * 900})
    refused = api.get("/v1/sessions/s/export")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:entracte:session_too_large")
