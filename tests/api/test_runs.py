"""Routes of runs (api/routes/runs.py)."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from google.api_core.exceptions import FailedPrecondition
from msgspec.structs import asdict

from entracte.adapters.gcp.firestore.faults import read_fault
from entracte.adapters.memory.store import MemoryStore
from entracte.api.app import create_app
from entracte.core.addresses import run_path
from entracte.ports.store import Update
from entracte.runtime.services import page
from entracte.testing.world import World
from tests.api.conftest import owner_header
from tests.api.echo import EchoModel, echo_network
from tests.api.time_passing import TimePassing
from tests.gates.scene import SEND, Scene


def start(api: TestClient, message: str = "hello", **more: object) -> dict[str, object]:
    """A run that was started just now."""
    return api.post("/v1/runs", json={"message": message, **more}).json()


def test_a_started_run_is_there_to_be_read(api: TestClient):
    """202 says that it goes on; Location and links say where."""
    response = api.post("/v1/runs", json={"message": "hello"})
    run = response.json()
    path = f"/v1/runs/{run['id']}"
    assert (response.status_code, response.headers["location"], run["status"]) == (202, path, "queued")
    assert run["links"] == {
        "self": path,
        "journal": f"{path}/journal",
        "events": f"{path}/events",
        "gates": f"/v1/gates?run={run['id']}",
        "cancel": f"{path}/cancel",
        "undo": f"{path}/undo",
    }
    assert api.get(path).json() == run


def test_every_link_of_a_run_leads_somewhere(api: TestClient):
    """Only routes that exist are linked."""
    links = start(api)["links"]
    assert [api.request("POST" if n == "cancel" else "GET", links[n]).status_code for n in links] == [200] * 6


def test_the_long_form_says_all_that_a_run_may_be_told(api: TestClient, world: World):
    """What is not lowered stays as the network has it, also where that is more than the default."""
    response = api.post(
        "/v1/runs",
        json={
            "input": {"city": "Kyoto"},
            "agent": "weather",
            "session": "trip",
            "models": {"planning": "echo/light"},
            "budget": {"cost_micro_usd": 50_000},
            "time_zone": "Asia/Tokyo",
            "metadata": {"ticket": "T-7"},
        },
    )
    run = response.json()
    assert (run["input"], run["agent"], run["session"]) == ({"city": "Kyoto"}, "weather", "trip")
    assert (run["models"], run["metadata"], run["time_zone"]) == (
        {"planning": "echo/light"},
        {"ticket": "T-7"},
        "Asia/Tokyo",
    )
    assert run["budget"] == asdict(world.network.blueprint.limits) | {"cost_micro_usd": 50_000}


def test_an_ended_run_has_its_answer(api: TestClient, world: World):
    """As value and as text, with what it used."""
    path = start(api)["links"]["self"]
    world.settle()
    run = api.get(path).json()
    assert (run["status"], run["stop_reason"]) == ("succeeded", "answered")
    assert run["output"] == run["text"] == "You said hello"
    assert (run["usage"]["tokens"], run["usage"]["model_calls"]) == (7, 1)


def test_a_caller_who_waits_gets_the_answer_at_once(api: TestClient, world: World, time_passing: TimePassing):
    """200 instead of 202, as soon as the run has ended and not after the whole wait."""
    time_passing.meanwhile = world.settle
    response = api.post("/v1/runs?wait=30", json={"message": "hello"})
    assert (response.status_code, response.json()["status"]) == (200, "succeeded")
    assert time_passing.seconds < 1


def test_a_wait_that_was_too_short_gives_the_run_as_it_is(api: TestClient, time_passing: TimePassing):
    """202: it goes on, and can be waited for again."""
    response = api.post("/v1/runs?wait=2.5", json={"message": "hello"})
    assert (response.status_code, response.json()["status"]) == (202, "queued")
    assert time_passing.seconds == pytest.approx(2.5)


def test_a_run_can_be_waited_for_later(api: TestClient, world: World, time_passing: TimePassing):
    """Reading takes the same parameter."""
    path = start(api)["links"]["self"]
    time_passing.meanwhile = world.settle
    assert api.get(f"{path}?wait=60").json()["status"] == "succeeded"


@pytest.mark.parametrize("wait", ["-1", "60.1", "nan", "inf", "long"])
def test_nobody_waits_longer_than_a_minute(api: TestClient, wait: str):
    """Nor for a time that is none."""
    problem = api.post(f"/v1/runs?wait={wait}", json={"message": "hello"}).json()
    assert (problem["status"], problem["detail"][:14]) == (422, "wait (query): ")


def test_the_same_key_and_request_find_the_same_run(api: TestClient):
    """A caller who got no answer sends the request again."""
    first, again = (api.post("/v1/runs", json={"message": "hi"}, headers={"Idempotency-Key": "k"}) for _ in "12")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    assert len(api.get("/v1/runs").json()["items"]) == 1


def test_a_run_that_is_found_by_its_key_and_has_ended_is_200(api: TestClient, world: World):
    """As for a new one that ended within the wait."""
    api.post("/v1/runs", json={"message": "hi"}, headers={"Idempotency-Key": "k"})
    world.settle()
    again = api.post("/v1/runs", json={"message": "hi"}, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["status"]) == (200, "succeeded")


def test_the_short_form_is_the_same_request_as_the_long_one(api: TestClient):
    """So either may repeat the other."""
    key = {"Idempotency-Key": "k"}
    short = api.post("/v1/runs", json={"message": "hi"}, headers=key)
    long = api.post("/v1/runs", json={"input": {"message": "hi"}, "agent": None, "session": None}, headers=key)
    assert long.json() == short.json()


def test_the_same_key_with_another_request_is_refused(api: TestClient):
    """It would be answered with a run that does something else."""
    key = {"Idempotency-Key": "k"}
    api.post("/v1/runs", json={"message": "hi"}, headers=key)
    for other in ({"message": "bye"}, {"message": "hi", "budget": {"tokens": 5}}):
        problem = api.post("/v1/runs", json=other, headers=key).json()
        assert (problem["status"], problem["type"]) == (422, "urn:entracte:idempotency_key_reused")


def test_two_owners_may_use_the_same_key(api: TestClient):
    """Keys are each caller's own."""
    ids = {
        api.post("/v1/runs", json={"message": "hi"}, headers={"Idempotency-Key": "k", "x-owner": owner}).json()["id"]
        for owner in ("ada", "grace")
    }
    assert len(ids) == 2


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "ümlaut"])
def test_a_key_is_short_and_printable(api: TestClient, key: str):
    """1 to 255 ASCII characters, as other services have it."""
    response = api.post("/v1/runs", json={"message": "hi"}, headers={"Idempotency-Key": key.encode("latin-1")})
    assert (response.status_code, response.json()["detail"][:15]) == (422, "Idempotency-Key")


def test_a_run_that_waits_for_a_person_shows_what_for():
    """And whoever waits for the run is told at once."""
    scene = Scene(SEND)
    api = TestClient(create_app(scene.world.process, identify=owner_header))
    run = api.get(f"/v1/runs/{scene.id}?wait=60").json()
    assert (run["status"], [(gate["id"], gate["tool"]) for gate in run["gates"]]) == (
        "waiting",
        [(scene.gate.id, "send")],
    )
    assert api.post(run["links"]["cancel"]).json()["gates"] == []


def test_a_run_is_cancelled_once(api: TestClient):
    """The second time, the answer says what it is."""
    cancel = start(api)["links"]["cancel"]
    first, second = api.post(cancel), api.post(cancel)
    assert (first.status_code, first.json()["status"]) == (200, "cancelled")
    assert (second.status_code, second.json()["type"]) == (409, "urn:entracte:run_closed")
    assert "is cancelled already" in second.json()["detail"]


def test_an_ended_run_cannot_be_cancelled(api: TestClient, world: World):
    """And keeps its answer."""
    links = start(api)["links"]
    world.settle()
    assert "is succeeded already" in api.post(links["cancel"]).json()["detail"]
    assert api.get(links["self"]).json()["status"] == "succeeded"


@pytest.mark.parametrize("path", ["", "/journal", "/cancel"])
def test_a_strangers_run_does_not_exist(api: TestClient, path: str):
    """The answer is the same as for a run that never was, but for the id in it."""
    run = start(api)["id"]
    method = "POST" if path == "/cancel" else "GET"

    def problem(id: object) -> dict[str, object]:
        headers = {"x-owner": "mallory", "x-request-id": "same"}
        return api.request(method, f"/v1/runs/{id}{path}", headers=headers).json()

    assert problem(run) == problem("f" * 20) | {"detail": f"There is no run {run!r}."}
    assert problem(run)["type"] == "urn:entracte:run_not_found"


@pytest.mark.parametrize("id", ["nope", "..", "a.b", "x" * 3000, "%00", "%F0%9F%98%80", "runs%2Fx"])
def test_an_unknown_run_is_not_found(api: TestClient, id: str):
    """Whatever stands in its place."""
    assert api.get(f"/v1/runs/{id}").status_code == 404


def test_a_page_of_large_runs_has_fewer(api: TestClient, monkeypatch: pytest.MonkeyPatch):
    """Two hundred of some megabytes each would not fit into an instance: the list goes on behind them."""
    ids = [start(api, "x" * 600_000)["id"] for _ in "123"]
    monkeypatch.setattr(page, "PAGE_BYTES", 1_000_000)
    listed, cursor = [], {}
    for _ in "123":
        found = api.get("/v1/runs", params=cursor).json()
        (run,) = found["items"]
        listed.append(run["id"])
        cursor = {"cursor": found["next_cursor"]}
    assert (sorted(listed), cursor) == (sorted(ids), {"cursor": None})


class Unindexed(MemoryStore):
    """A store without an index for the labels of runs, as Firestore says it."""

    def query(self, query):
        if any(condition.field.startswith("metadata.") for condition in query.where):
            raise read_fault("Firestore", FailedPrecondition("The query requires an index: https://console…/shop-prod"))
        return super().query(query)


def test_a_label_that_runs_are_not_listed_by_is_said(caplog: pytest.LogCaptureFixture):
    """It is no fault of the server's, and where to make the index is nobody's business but the log's."""
    client = TestClient(
        create_app(World(echo_network(), EchoModel(), store=Unindexed()).process, identify=owner_header)
    )
    refused = client.get("/v1/runs?metadata.ticket=T-7&status=failed")
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:entracte:label_not_listed")
    assert "metadata.ticket" in refused.json()["detail"] and "shop-prod" not in refused.text
    assert "shop-prod" in caplog.text
    assert client.get("/v1/runs?status=failed").status_code == 200


def test_a_list_shows_each_run_once_newest_first(api: TestClient, world: World):
    """Also those of the same instant, and with runs coming in between the pages."""
    ids = []
    for number in range(7):
        world.clock.advance(seconds=number % 2)
        ids.append(start(api)["id"])
    pages, cursor = [], {}
    while True:
        found = api.get("/v1/runs", params={"limit": 3, **cursor}).json()
        pages.append([run["id"] for run in found["items"]])
        world.clock.advance(seconds=1)
        start(api, "later")
        if found["next_cursor"] is None:
            break
        cursor = {"cursor": found["next_cursor"]}
    assert [*map(len, pages)] == [3, 3, 1]
    listed = [id for shown in pages for id in shown]
    assert sorted(listed) == sorted(ids)
    assert listed[0] in ids[-2:]
    assert listed[-1] in ids[:1]


def test_a_list_is_narrowed_by_filters(api: TestClient, world: World):
    """Each alone and all together."""
    start(api, "a", metadata={"ticket": "T-7"})
    world.settle()
    start(api, "b", metadata={"ticket": "T-7", "team": "blue"}, session="s")
    api.post("/v1/runs", json={"input": {"city": "Kyoto"}, "agent": "weather"})

    def inputs(**filters: str) -> list[object]:
        return [run["input"] for run in api.get("/v1/runs", params=filters).json()["items"]]

    a, b, kyoto = {"message": "a"}, {"message": "b"}, {"city": "Kyoto"}
    assert inputs(status="succeeded") == [a]
    assert inputs(agent="weather") == [kyoto]
    assert inputs(session="s") == [b]
    assert sorted(map(str, inputs(**{"metadata.ticket": "T-7"}))) == sorted(map(str, [a, b]))
    assert inputs(**{"metadata.ticket": "T-7", "metadata.team": "blue", "status": "queued"}) == [b]
    assert inputs(status="failed") == []


def test_nobody_sees_other_peoples_runs_in_a_list(api: TestClient):
    """Not even with a cursor of theirs."""
    start(api)
    cursor = api.get("/v1/runs?limit=1").json()["next_cursor"]
    assert api.get("/v1/runs", headers={"x-owner": "mallory"}).json() == {
        "items": [],
        "next_cursor": None,
        "unreadable": 0,
    }
    refused = api.get("/v1/runs", params={"limit": 1, "cursor": cursor}, headers={"x-owner": "mallory"})
    assert refused.json()["type"] == "urn:entracte:bad_cursor"


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=x", "status=done", "stauts=failed", "metadata.=x", "metadata.a.b=x"]
)
def test_a_list_that_cannot_be_made_is_refused(api: TestClient, query: str):
    """A mistyped filter must not list everything in silence."""
    assert api.get(f"/v1/runs?{query}").status_code == 422


def test_a_journal_is_read_in_pages(api: TestClient, world: World):
    """Each move once, oldest first, with the events that it made."""
    journal = start(api)["links"]["journal"]
    world.clock.advance(seconds=1)
    world.settle()
    first = api.get(journal, params={"limit": 1}).json()
    second = api.get(journal, params={"limit": 1, "cursor": first["next_cursor"]}).json()
    phases = [entry["phase"] for page in (first, second) for entry in page["items"]]
    assert phases == ["start", "plan"]
    assert [event["type"] for event in second["items"][0]["events"]] == ["run.ended"]
    assert second["items"][0]["served"] == "echo-1"


def test_a_run_that_cannot_be_read_is_left_out_of_lists_and_counted(api: TestClient, world: World):
    """It must not keep the others from their owner; asked for by itself, it is an error that says so."""
    for message in ("a", "b", "c"):
        start(api, message)
    newest, odd, oldest = [item["id"] for item in api.get("/v1/runs").json()["items"]]
    path = run_path(odd)
    world.store.commit([Update(path, {"limits": "many"}, world.store.load((path,))[path].version)])
    page = api.get("/v1/runs").json()
    assert ([item["id"] for item in page["items"]], page["unreadable"]) == ([newest, oldest], 1)
    problem = api.get(f"/v1/runs/{odd}").json()
    assert (problem["status"], problem["type"]) == (500, "urn:entracte:corrupt_document")
