"""Routes of long-term memory (api/routes/memories.py)."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from entracte.core.addresses import memory_path
from entracte.ports.store import Update
from entracte.testing.world import World


def remember(world: World, *texts: str, owner: str = "ada") -> None:
    """Put memories there, a second apart."""
    for text in texts:
        world.process.open_memories(owner).remember(key=text, text=text, category="preference", tags=["x"])
        world.clock.advance(seconds=1)


def test_memories_are_listed_in_pages_the_latest_first(api: TestClient, world: World):
    """Without what they mean to a machine."""
    remember(world, "One.", "Two.", "Three.")
    first = api.get("/v1/memories?limit=2").json()
    second = api.get("/v1/memories", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [item["text"] for item in first["items"] + second["items"]] == ["Three.", "Two.", "One."]
    assert second["next_cursor"] is None
    assert first["items"][0].keys() == {"id", "text", "category", "tags", "date", "persona", "run", "created"}


def test_a_memory_is_read_and_forgotten(api: TestClient, world: World):
    """For good; the answer is the last that there is of it."""
    remember(world, "One.", "Two.")
    item = api.get("/v1/memories").json()["items"][0]
    place = f"/v1/memories/{item['id']}"
    assert api.get(place).json() == item
    assert api.delete(place).json() == item
    gone = api.get(place)
    assert (gone.status_code, gone.json()["type"]) == (404, "urn:entracte:memory_not_found")
    assert "entracte memories list, of GET /v1/memories" in gone.json()["remedy"]
    assert [kept["text"] for kept in api.get("/v1/memories").json()["items"]] == ["One."]


def test_everything_is_taken_along(api: TestClient, world: World):
    """As a file, however much it is."""
    texts = [f"Memory {number}." for number in range(230)]
    remember(world, *texts)
    answer = api.get("/v1/memories/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="memories.json"'
    assert sorted(item["text"] for item in json.loads(answer.content)["memories"]) == sorted(texts)


def test_one_that_cannot_be_read_is_left_out_and_counted(api: TestClient, world: World):
    """A newer version has written it, or somebody by hand: it must not keep the others from their owner."""
    remember(world, "One.", "Two.", "Three.")
    odd = memory_path("ada", api.get("/v1/memories").json()["items"][1]["id"])
    world.store.commit([Update(odd, {"category": "yet to come"}, world.store.load((odd,))[odd].version)])
    page, export = api.get("/v1/memories").json(), api.get("/v1/memories/export").json()
    assert ([item["text"] for item in page["items"]], page["unreadable"]) == (["Three.", "One."], 1)
    assert (export["memories"], export["unreadable"]) == (page["items"], 1)


def test_everything_is_forgotten(api: TestClient, world: World):
    """Nothing is left, not even on how many days there was something; other people's stays."""
    remember(world, *(f"Memory {number}." for number in range(230)))
    remember(world, "Eve's.", owner="eve")
    assert api.delete("/v1/memories").json() == {"forgotten": 230}
    assert api.get("/v1/memories").json() == {"items": [], "next_cursor": None, "unreadable": 0}
    assert world.process.open_memories("ada").days() == ()
    assert [item.text for item in world.process.open_memories("eve").everything().items] == ["Eve's."]


@pytest.mark.parametrize("id", ["m_000000000000", "..", "runs", "m_0"])
def test_what_is_not_remembered_is_not_found(api: TestClient, id: str):
    """Whatever is asked for becomes no path."""
    assert api.delete(f"/v1/memories/{id}").status_code in (404, 405)
