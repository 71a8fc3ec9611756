"""Routes of letters (api/routes/letters.py)."""

from __future__ import annotations

import json
from hashlib import sha256

from fastapi.testclient import TestClient

from entracte.runtime.upkeep.letters import keep_letter
from entracte.testing.world import World

OPS = {"x-owner": "ops"}


def keep(world: World, body: bytes) -> str:
    """Keep a message that nobody could read; the id of its letter."""
    reason = "Not a Pub/Sub push: message: Field required"
    keep_letter(world.process.engine.repository, world.clock.now(), source="plan", body=body, reason=reason)
    world.clock.advance(seconds=1)
    return sha256(body).hexdigest()


def test_letters_are_listed_in_pages_the_latest_first(api: TestClient, world: World):
    """When, to whom, how often and how large; what was in them is for whoever may read the database."""
    ids = [keep(world, body) for body in (b"sk-secret-1", b"sk-secret-2", b"sk-secret-1")]
    first = api.get("/v1/letters?limit=1", headers=OPS).json()
    second = api.get("/v1/letters", params={"cursor": first["next_cursor"]}, headers=OPS).json()
    shown = [(item["id"], item["count"]) for item in first["items"] + second["items"]]
    assert shown == [(ids[0], 2), (ids[1], 1)]
    assert second["next_cursor"] is None
    assert first["items"][0] == {
        "id": ids[0],
        "source": "plan",
        "reason": "Not a Pub/Sub push: message: Field required",
        "size_bytes": 11,
        "count": 2,
        "first": "2026-01-01T09:00:00Z",
        "last": "2026-01-01T09:00:02Z",
    }
    assert "secret" not in json.dumps([first, second])


def test_a_letter_is_dropped_once(api: TestClient, world: World):
    """The second time there is none."""
    id = keep(world, b"{")
    dropped = api.delete(f"/v1/letters/{id}", headers=OPS)
    again = api.delete(f"/v1/letters/{id}", headers=OPS)
    assert (dropped.json()["id"], again.status_code, again.json()["type"]) == (id, 404, "urn:entracte:letter_not_found")
    assert api.get("/v1/letters", headers=OPS).json() == {"items": [], "next_cursor": None}


def test_nothing_but_a_letter_is_dropped(api: TestClient, world: World):
    """Whatever is asked for becomes no path."""
    keep(world, b"{")
    before = world.documents()
    for id in ("..", "abc", "%2e%2e", "0" * 64, "A" * 64):
        assert api.delete(f"/v1/letters/{id}", headers=OPS).status_code in (404, 405)
    assert world.documents() == before
