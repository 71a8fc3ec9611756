"""Routes of a session's artifacts (api/routes/artifacts.py)."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from entracte.core.documents.artifact import MAX_TITLE_CHARS
from entracte.testing.world import World

DESK = "/v1/sessions/s/artifacts"
OUTLINE = {"title": "Outline", "content": "Eins.\n", "tags": ["plot"]}


@pytest.fixture(autouse=True)
def session(api: TestClient, world: World) -> None:
    """A session, whose owner has another one."""
    for name in ("s", "other"):
        api.post("/v1/runs", json={"message": "hello", "session": name})
    world.settle()


def titles(api: TestClient, path: str = DESK) -> list[str]:
    """What is listed."""
    return [item["title"] for item in api.get(path).json()["items"]]


def test_an_artifact_is_made_read_changed_and_deleted(api: TestClient):
    """With its content, by the place that the answer names; the last answer is the last that there is of it."""
    made = api.post(DESK, json=OUTLINE)
    place, artifact = made.headers["location"], made.json()
    assert (made.status_code, place, artifact["content"], artifact["active"], artifact["shared"]) == (
        201,
        f"{DESK}/{artifact['id']}",
        "Eins.\n",
        True,
        False,
    )
    assert api.get(place).json() == api.get(f"{DESK}/out").json() == artifact
    changed = api.patch(place, json={"content": "Zwei.\n", "active": False}).json()
    assert (changed["content"], changed["active"], changed["title"], changed["chars"]) == (
        "Zwei.\n",
        False,
        "Outline",
        6,
    )
    assert api.delete(place).json() == changed
    gone = api.get(place)
    assert (gone.status_code, gone.json()["type"]) == (404, "urn:entracte:artifact_not_found")


def test_artifacts_are_listed_without_contents(api: TestClient, world: World):
    """The one changed last first; by tag, and by whether agents are shown them."""
    api.post(DESK, json=OUTLINE)
    world.clock.advance(seconds=1)
    api.post(DESK, json={"title": "Notes", "content": "n", "active": False})
    assert titles(api) == ["Notes", "Outline"]
    assert titles(api, f"{DESK}?tag=plot") == titles(api, f"{DESK}?active=true") == ["Outline"]
    assert all("content" not in item for item in api.get(DESK).json()["items"])


def test_a_shared_artifact_is_on_every_desk_of_its_owner(api: TestClient):
    """And on nobody else's."""
    api.post(DESK, json=OUTLINE | {"shared": True})
    assert titles(api, "/v1/sessions/other/artifacts") == ["Outline"]
    stranger = {"x-owner": "mallory"}
    api.post("/v1/runs", json={"message": "hello", "session": "m"}, headers=stranger)
    assert api.get("/v1/sessions/m/artifacts", headers=stranger).json() == {"items": []}


def test_a_change_of_what_has_changed_is_a_conflict(api: TestClient):
    """Nobody writes over what they have not seen."""
    place = api.post(DESK, json=OUTLINE).headers["location"]
    seen = api.get(place).json()["version"]
    assert api.patch(place, json={"content": "Zwei.\n", "version": seen}).status_code == 200
    for late in (api.patch(place, json={"content": "Drei.\n", "version": seen}), api.delete(f"{place}?version={seen}")):
        assert (late.status_code, late.json()["type"]) == (409, "urn:entracte:artifact_changed")
    assert api.get(place).json()["content"] == "Zwei.\n"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"content": "x"}, "/title"),
        ({"title": "", "content": "x"}, "/title"),
        ({"title": " ", "content": "x"}, "/title"),
        ({"title": "x" * (MAX_TITLE_CHARS + 1), "content": "x"}, "/title"),
        ({"title": "x"}, "/content"),
        ({"title": "x", "content": "x", "type": "poem"}, "/type"),
        ({"title": "x", "content": "x", "tags": [" "]}, "/tags"),
        ({"title": "x", "content": "x", "id": "mine"}, "/id"),
    ],
)
def test_what_is_no_artifact_is_refused(api: TestClient, body: dict[str, Any], pointer: str):
    """With the place of the fault; nothing is made."""
    refused = api.post(DESK, json=body)
    assert (refused.status_code, refused.json()["pointer"]) == (422, pointer)
    assert titles(api) == []


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_a_strangers_desk_does_not_exist(api: TestClient, method: str):
    """Not even to those who know an artifact's id."""
    place = api.post(DESK, json=OUTLINE).headers["location"]
    body = {"active": False} if method == "PATCH" else None
    response = api.request(method, place, json=body, headers={"x-owner": "mallory"})
    assert (response.status_code, response.json()["type"]) == (404, "urn:entracte:session_not_found")
    assert api.get(place).json()["active"] is True
