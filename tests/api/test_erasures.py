"""The route by which operators erase an owner (routes/erasures.py)."""

from __future__ import annotations

import logging

import pytest
from fastapi.testclient import TestClient

from entracte.testing.world import World

OPS = {"x-owner": "ops"}


def test_an_owner_is_looked_at_and_then_erased(api: TestClient, world: World):
    """By default nothing is deleted; what the second request says is what the first one promised."""
    api.post("/v1/runs", json={"message": "hi", "session": "s"})
    world.settle()
    looked = api.post("/v1/erasures", json={"owner": "ada"}, headers=OPS).json()
    assert (looked["dry_run"], looked["open"], looked["complete"]) == (True, [], True)
    assert api.get("/v1/runs").json()["items"] != []
    erased = api.post("/v1/erasures", json={"owner": "ada", "dry_run": False}, headers=OPS).json()
    assert erased == looked | {"dry_run": False}
    assert world.documents() == {}


def test_an_open_run_is_to_be_cancelled_first(api: TestClient, world: World):
    """The problem names it and says what to do."""
    run = api.post("/v1/runs", json={"message": "hi"}).json()["id"]
    refused = api.post("/v1/erasures", json={"owner": "ada", "dry_run": False}, headers=OPS)
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (409, "urn:entracte:runs_open")
    assert run in problem["detail"]
    assert problem["remedy"].startswith("Cancel them")


def test_owners_do_not_erase_themselves(api: TestClient, world: World):
    """Nor anybody else: whoever runs the deployment does."""
    api.post("/v1/runs", json={"message": "hi"})
    before = world.documents()
    for who in ("ada", "eve"):
        answer = api.post("/v1/erasures", json={"owner": "ada", "dry_run": False}, headers={"x-owner": who})
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:entracte:not_an_operator")
    assert world.documents() == before


@pytest.mark.parametrize("body", [{}, {"owner": ""}, {"owner": " "}, {"owner": "ada", "dryrun": False}])
def test_what_is_not_understood_erases_nobody(api: TestClient, world: World, body: dict[str, object]):
    """A mistyped dry_run least of all."""
    api.post("/v1/runs", json={"message": "hi"})
    before = world.documents()
    assert api.post("/v1/erasures", json=body, headers=OPS).status_code == 422
    assert world.documents() == before


def test_the_log_says_who_erased_and_not_whom(api: TestClient, caplog: pytest.LogCaptureFixture):
    """Or their name would be kept in it."""
    with caplog.at_level(logging.INFO, logger="entracte"):
        api.post("/v1/erasures", json={"owner": "ada@example.com", "dry_run": False}, headers=OPS)
    lines = [record.getMessage() for record in caplog.records]
    assert "erased operator=ops documents=0 complete=True" in lines
    assert not any("ada@example.com" in line for line in lines)
