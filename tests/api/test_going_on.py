"""Routes that let runs go on (api/routes/going_on.py). What they do is tested in tests/runs."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from entracte.errors import ModelRefused
from entracte.runtime.engine.giving_up import give_up
from entracte.testing.world import World
from tests.api.echo import EchoModel


class Refusing(EchoModel):
    """Answers nothing."""

    def generate(self, request: Any, **how: Any) -> Any:
        raise ModelRefused("No.")


def start(api: TestClient) -> str:
    """Id of a new run."""
    return str(api.post("/v1/runs", json={"message": "hi"}).json()["id"])


def test_a_failed_run_is_retried(api: TestClient, world: World):
    """202, and it goes on; a second time it has not failed."""
    run = start(api)
    world.model = Refusing()
    world.settle()
    world.model = EchoModel()
    assert api.get(f"/v1/runs/{run}").json()["status"] == "failed"
    response = api.post(f"/v1/runs/{run}/retry")
    assert (response.status_code, response.json()["status"]) == (202, "running")
    assert api.post(f"/v1/runs/{run}/retry").json()["type"] == "urn:entracte:not_failed"
    world.settle()
    assert api.get(response.headers["location"]).json()["text"] == "You said hi"


def test_a_stalled_run_is_resumed(api: TestClient, world: World):
    """Its reason is there to be read before, and gone afterwards."""
    run = start(api)
    give_up(world.process.engine, world.bus.waiting.pop(), "It broke.")
    stalled = api.get(f"/v1/runs/{run}").json()
    assert (stalled["status"], stalled["error"]) == ("stalled", "It broke.")
    resumed = api.post(f"/v1/runs/{run}/resume")
    assert (resumed.status_code, resumed.json()["status"], resumed.json()["error"]) == (202, "running", "")
    world.settle()
    assert api.post(f"/v1/runs/{run}/resume").status_code == 409


def test_a_fork_is_a_run_of_its_own(api: TestClient, world: World):
    """Which says where it comes from; the same key makes one."""
    run = start(api)
    world.settle()
    key = {"Idempotency-Key": "k"}
    first = api.post(f"/v1/runs/{run}/fork", json={"at": 1, "state": {"facts": ["one"]}}, headers=key)
    assert (first.status_code, first.json()["forked_from"]) == (202, {"run": run, "step": 1})
    again = api.post(f"/v1/runs/{run}/fork", json={"at": 1, "state": {"facts": ["one"]}}, headers=key)
    assert again.json()["id"] == first.json()["id"] != run
    world.settle()
    assert api.get(first.headers["location"]).json()["text"] == "You said hi"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"at": 7}, 404, "step_not_found"),
        ({"at": 0}, 422, "invalid_input"),
        ({}, 422, "invalid_input"),
        ({"at": 1, "state": {"nonsense": "x"}}, 422, "state_refused"),
    ],
)
def test_a_fork_that_cannot_be_made_says_why(api: TestClient, world: World, body: Any, status: int, code: str):
    """Nothing was started."""
    run = start(api)
    response = api.post(f"/v1/runs/{run}/fork", json=body)
    assert (response.status_code, response.json()["type"]) == (status, f"urn:entracte:{code}")


@pytest.mark.parametrize("how", ["retry", "resume", "fork"])
def test_a_run_of_somebody_else_is_not_there(api: TestClient, how: str):
    """As with every other route."""
    run = start(api)
    response = api.post(f"/v1/runs/{run}/{how}", json={"at": 1}, headers={"x-owner": "bob"})
    assert (response.status_code, response.json()["type"]) == (404, "urn:entracte:run_not_found")
