"""Who is calling (runtime/doors/callers.py)."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from entracte.api.app import create_app
from entracte.runtime.doors.callers import LoopbackUser
from entracte.testing.world import World

HERE = ("127.0.0.1", 50_000)


@pytest.fixture
def app(world: World) -> FastAPI:
    """An API that only this machine may use."""
    return create_app(world.process, identify=LoopbackUser("ada"))


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "localhost:8080", "[::1]:8080", "127.1.2.3"])
@pytest.mark.parametrize("sender", ["127.0.0.1", "::1"])
def test_this_machine_is_let_in_under_all_its_names(app: FastAPI, host: str, sender: str):
    """With or without a port."""
    response = TestClient(app, client=(sender, 50_000)).get("/v1/runs", headers={"host": host})
    assert response.status_code == 200


def test_everybody_on_this_machine_is_the_same_person(app: FastAPI, world: World):
    """The one that the API was told."""
    run = TestClient(app, client=HERE, base_url="http://localhost").post("/v1/runs", json={"message": "hi"}).json()
    assert world.run(run["id"]).owner == "ada"


@pytest.mark.parametrize(
    ("sender", "headers"),
    [
        ("10.0.0.7", {}),
        ("testclient", {}),
        ("127.0.0.1", {"host": "evil.example"}),
        ("127.0.0.1", {"host": "localhost.evil.example"}),
        ("127.0.0.1", {"host": "127.0.0.1.evil.example"}),
        ("127.0.0.1", {"host": "evil.example#@localhost"}),
        ("127.0.0.1", {"host": "[::1"}),
        ("127.0.0.1", {"host": ""}),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1"}),
        ("127.0.0.1", {"forwarded": "for=127.0.0.1"}),
    ],
)
def test_whoever_may_come_from_elsewhere_is_refused(app: FastAPI, sender: str, headers: dict[str, str]):
    """Other machines, proxies, and pages of the web that have a name of their own point at this machine."""
    client = TestClient(app, client=(sender, 50_000), base_url="http://localhost")
    for path in ("/v1/runs", "/v1/runs/x", "/v1/sessions/x", "/v1/sessions/x/state", "/v1/network"):
        response = client.get(path, headers=headers)
        assert (response.status_code, response.json()["type"]) == (403, "urn:entracte:not_loopback")


def test_every_route_under_v1_asks_who_is_calling(app: FastAPI):
    """A new one that forgot to would be open to all. Only links have their own proof, which each of them carries."""

    def stranger(request: object) -> str:
        raise AssertionError("asked")

    app.state.identify = stranger
    client = TestClient(app)
    described = [
        (method, path)
        for path, methods in app.openapi()["paths"].items()
        for method in methods
        if path.startswith("/v1/") and not path.startswith("/v1/links/")
    ]
    assert len(described) > 9
    statuses = {client.request(method, path, json={"message": "hi"}).status_code for method, path in described}
    assert statuses == {500}


def test_by_default_only_this_machine_is_let_in(world: World):
    """An app that was told nothing about callers is closed to others."""
    app = create_app(world.process)
    assert TestClient(app, base_url="http://localhost").get("/v1/runs").status_code == 403
    assert TestClient(app, base_url="http://localhost", client=HERE).get("/v1/runs").status_code == 200
