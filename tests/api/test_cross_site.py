"""What pages of other sites have a visitor's browser send (runtime/doors/cross_site.py)."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from entracte.api.app import create_app
from entracte.runtime.doors.callers import LoopbackUser
from entracte.testing.world import World
from tests.api.conformance import Conformance

SITE = "https://app.example"
HERE = ("127.0.0.1", 50_000)


@pytest.fixture
def api(world: World, conformance: Conformance) -> TestClient:
    """An API on this machine, which a browser on it reaches for any page; one site is named."""
    app = create_app(world.process, identify=LoopbackUser("ada"), cors_origins=[SITE])
    client = TestClient(app, base_url="http://localhost:8080", client=HERE)
    client.event_hooks = {"response": [conformance.check]}
    return client


@pytest.mark.parametrize(
    "sent",
    [
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:3000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:3000"},
    ],
)
@pytest.mark.parametrize("what", ["cancel", "resume", "retry"])
def test_a_form_of_another_site_changes_nothing(api: TestClient, world: World, what: str, sent: dict[str, str]):
    """It is posted with whatever the browser has, such as IAP's cookie or the way to this machine, and has no body."""
    run = api.post("/v1/runs", json={"message": "hi"}).json()["id"]
    refused = api.post(f"/v1/runs/{run}/{what}", headers=sent)
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:entracte:cross_site")
    assert world.run(run).status == "queued"


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:8080"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost:8080"},
        {"Sec-Fetch-Site": "cross-site", "Origin": SITE},
    ],
)
def test_programs_our_own_pages_and_sites_that_are_named_may(api: TestClient, world: World, sent: dict[str, str]):
    """As before."""
    run = api.post("/v1/runs", json={"message": "hi"}).json()["id"]
    assert api.post(f"/v1/runs/{run}/cancel", headers=sent).status_code == 200


def test_links_may_be_followed_from_anywhere(api: TestClient):
    """Reading changes nothing, and what is read stays with the reader."""
    from_elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert api.get("/v1/runs", headers=from_elsewhere).status_code == 200
