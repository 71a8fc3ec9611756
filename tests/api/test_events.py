"""Watching runs as server-sent events (api/routes/events.py, event_source.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents import UNGATED, Agent, Network, tool
from entracte.api.app import create_app
from entracte.api.requests.cursors import encode_cursor
from entracte.api.routes.events import HEARTBEAT_S, STREAM_S
from entracte.client import Client
from entracte.core.events import events_of
from entracte.core.runs.starting import RunRequest
from entracte.errors import NotFound, RetryableError
from entracte.event_source import MAX_FRUITLESS
from entracte.ports.store import Query
from entracte.runtime.compose import Runtime, compose
from entracte.runtime.local.local_bus import LocalBus
from entracte.testing.world import World
from tests.api.conftest import owner_header
from tests.api.cutting_proxy import cutting_proxy
from tests.api.flaky_server import flaky_server
from tests.api.serving import served
from tests.api.time_passing import TimePassing
from tests.runtime.scenes import MODEL
from tests.runtime.script import Script, calls, judging


def start(api: TestClient) -> dict[str, Any]:
    """A run that has just been started."""
    run: dict[str, Any] = api.post("/v1/runs", json={"message": "hello"}).json()
    return run


def frames(text: str) -> list[dict[str, str]]:
    """The fields of each event of a stream; comments have none."""
    blocks = [block for block in text.split("\n\n") if block]
    return [
        dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        for block in blocks
        if not block.startswith("retry")
    ]


def test_a_stream_tells_what_happened_and_ends_with_the_run(api: TestClient, world: World):
    """By the link in the run's answer: name, place and data of each event."""
    run = start(api)
    world.settle()
    response = api.get(run["links"]["events"])
    assert (response.status_code, response.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    told = frames(response.text)
    assert [event["event"] for event in told] == ["run.started", "run.ended"]
    data = json.loads(told[1]["data"])
    assert data | {"at": "", "usage": {}, "data": {}, "duration_ms": 0} == {
        "v": 1,
        "type": "run.ended",
        "run_id": run["id"],
        "frame_id": run["id"],
        "agent": "echo",
        "parents": [],
        "step": 1,
        "phase": "plan",
        "at": "",
        "duration_ms": 0,
        "usage": {},
        "data": {},
    }
    assert data["data"]["output"] == "You said hello"
    assert len({event["id"] for event in told}) == 2


def test_a_reader_goes_on_after_the_last_event_that_it_saw(api: TestClient, world: World):
    """By header or in the address; after the last there is nothing more to connect for."""
    run = start(api)
    world.settle()
    path = run["links"]["events"]
    first, last = frames(api.get(path).text)
    for how in ({"headers": {"Last-Event-ID": first["id"]}}, {"params": {"cursor": first["id"]}}):
        assert frames(api.get(path, **how).text) == [last]
    assert api.get(path, headers={"Last-Event-ID": last["id"]}).status_code == 204


def test_a_stream_waits_for_what_comes(api: TestClient, world: World, time_passing: TimePassing):
    """It looks again and again until the run has ended."""
    run = start(api)
    time_passing.meanwhile = lambda: world.settle() if time_passing.seconds > 5 else None
    assert [event["event"] for event in frames(api.get(run["links"]["events"]).text)] == ["run.started", "run.ended"]
    assert 5 < time_passing.seconds < 7


def test_a_quiet_stream_says_that_it_is_there_and_comes_to_an_end(api: TestClient, time_passing: TimePassing):
    """Proxies close what is silent, and functions end; whoever connects again gets nothing twice."""
    run = start(api)
    text = api.get(run["links"]["events"]).text
    assert text.startswith("retry: 500\n\n")
    assert text.count(": still here\n\n") == STREAM_S // HEARTBEAT_S - 1
    assert STREAM_S <= time_passing.seconds < STREAM_S + 2
    (only,) = [event for event in frames(text) if event]
    assert only["event"] == "run.started"
    time_passing.seconds = 0.0
    again = api.get(run["links"]["events"], headers={"Last-Event-ID": only["id"]}).text
    assert [event for event in frames(again) if event] == []


def test_only_the_owner_may_watch(api: TestClient, world: World):
    """To others there is no such run."""
    run = start(api)
    problem = api.get(run["links"]["events"], headers={"x-owner": "eve"}).json()
    assert (problem["status"], problem["type"]) == (404, "urn:entracte:run_not_found")


def test_an_id_of_another_run_is_refused(api: TestClient, world: World):
    """Rather than to pass over events in silence."""
    one, two = start(api), start(api)
    world.settle()
    seen = frames(api.get(one["links"]["events"]).text)[0]["id"]
    for bad in (seen, "x", "é"):
        problem = api.get(two["links"]["events"], params={"cursor": bad}).json()
        assert (problem["status"], problem["type"]) == (422, "urn:entracte:bad_cursor")
        assert "Last-Event-ID" in problem["remedy"]


def test_whoever_watches_marks_the_run_as_watched(api: TestClient, world: World):
    """Once in a while only, and never a run that is closed."""
    run = start(api)
    assert world.run(run["id"]).watched_until is None
    api.get(run["links"]["events"])
    marked = world.run(run["id"])
    assert marked.watched_until is not None
    assert (marked.watched_until - world.clock.now()).total_seconds() == 60
    assert marked.rev == 2
    world.settle()
    closed = world.run(run["id"])
    api.get(run["links"]["events"])
    assert world.run(run["id"]) == closed


@tool(effect="readonly")
def look(at: str) -> str:
    """Look at it."""
    return f"saw {at}"


@pytest.mark.parametrize("place", [(5, "1.0"), (None, "1"), (None, "x.y"), (None, "1.-1"), (None, "")])
def test_an_id_that_somebody_has_made_up_is_refused(api: TestClient, place: tuple[Any, str]):
    """With the checksum that it needs, which is no secret."""
    run = start(api)["id"]
    made_up = encode_cursor(place, of=f"events\0{run}")
    answer = api.get(f"/v1/runs/{run}/events", params={"cursor": made_up, "follow": False})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:entracte:bad_cursor")


class Served:
    """A network of three agents that work at once, in the background."""

    def __init__(self) -> None:
        self.bus = LocalBus(threads=4)
        clerks = [Agent(name=f"clerk{n}", prompt="You look.", tools=[look]) for n in range(3)]
        desk = Agent(name="desk", prompt="You answer.", agents=clerks)
        looking = [calls(*(("look", {"at": f"{step}{n}"}) for n in range(4)), thought="Hm.") for step in "abc"]
        model = Script(
            {"desk": [calls(*((c.name, {"message": "x"}) for c in clerks)), "done"]}
            | {clerk.name: [*looking, "seen"] for clerk in clerks},
            evaluate=[judging({"facts": ["seen"]})],
        )
        self.store = MemoryStore()
        self.runtime: Runtime = compose(
            Network(entry=desk, models=MODEL, policy=UNGATED),
            store=self.store,
            bus=self.bus,
            clock=SystemClock(),
            secrets_port=EnvironmentSecrets({}),
            worker="test",
            open_model=lambda name: model,
        )
        self.bus.attach(self.runtime.engine.handle, lambda message, error: None)
        self.app: FastAPI = create_app(self.runtime, identify=owner_header)

    def journal(self, run: str) -> list[str]:
        """Every event of a run as JSON, in the order of the commits."""
        found = self.store.query(Query(collection="journal", parent=f"runs/{run}", limit=1000))
        versions = {doc.path: doc.version for doc in found}
        entries = self.runtime.runs.journal(self.runtime.runs.get(run, owner="ada"), limit=1000).items
        ordered = sorted(entries, key=lambda entry: versions[f"runs/{run}/journal/{entry.id}"])
        return [json.dumps(event.as_json()) for entry in ordered for event in events_of(entry)]


@pytest.fixture
def working() -> Iterator[Served]:
    """Such a network."""
    served = Served()
    yield served
    served.runtime.close()


def test_a_client_that_is_cut_off_ten_times_sees_each_event_once_and_in_order(working: Served):
    """In the middle of lines, while three agents commit at the same time."""
    after_bytes = [900, 1500, 2500, 700, 4000, 3000, 1234, 5000, 2222, 3333]
    with served(working.app) as url, cutting_proxy(url, after_bytes) as proxy, Client(proxy.url) as client:
        run = working.runtime.runs.start(RunRequest(input={"message": "Go."}), owner="ada").id
        told = [json.dumps({k: v for k, v in event.items() if k != "id"}) for event in client.events(run)]
        assert proxy.cuts == 10
    assert told == working.journal(run)
    assert json.loads(told[-1])["type"] == "run.ended"
    assert sum('"type": "tool.result"' in event for event in told) == 3 * 3 * 4 + 3


def test_a_run_is_streamed_from_its_start_to_its_answer(working: Served):
    """`stream` starts one and tells."""
    with served(working.app) as url, Client(url) as client:
        told = list(client.stream("Go.", metadata={"a": "b"}))
    assert (told[0]["type"], told[-1]["type"], told[-1]["data"]["output"]) == ("run.started", "run.ended", "done")


def test_a_reader_may_take_what_there_is_and_go_on_later(working: Served):
    """Without waiting for more."""
    run = working.runtime.runs.start(RunRequest(input={"message": "Go."}), owner="ada").id
    with served(working.app) as url, Client(url) as client:
        assert client.wait(run).status == "succeeded"
        whole = list(client.events(run, follow=False))
        assert list(client.events(run, after=whole[4]["id"], follow=False)) == whole[5:]
        assert list(client.events(run, after=whole[-1]["id"])) == []


def test_a_stream_stops_where_a_person_is_awaited():
    """The caller has to do something first; what comes then is told from there on."""
    from tests.gates.scene import SEND, Scene

    scene = Scene(SEND)
    with served(create_app(scene.world.process, identify=owner_header)) as url, Client(url) as client:
        told = list(client.events(scene.id))
        assert (told[-1]["type"], client.get(scene.id).status) == ("run.waiting", "waiting")
        scene.decide("deny")
        scene.settle()
        more = list(client.events(scene.id, after=told[-1]["id"]))
    assert (more[0]["type"], more[-1]["type"]) == ("gate.decided", "run.ended")


def test_a_stream_that_cannot_be_opened_is_given_up():
    """After a bounded number of tries, with the reason."""
    with flaky_server() as server, Client(server.url) as client:
        server.failures = 10**6
        with pytest.raises(RetryableError, match="broke off 9 times in a row") as broken:
            list(_without_pauses(client, "r"))
        assert (broken.value.code, len(server.seen)) == ("stream_broken", MAX_FRUITLESS + 1)


def test_a_run_that_is_not_there_cannot_be_watched(working: Served):
    """The problem is the error that it is elsewhere."""
    with served(working.app) as url, Client(url) as client, pytest.raises(NotFound):
        list(client.events("nope"))


def _without_pauses(client: Client, run: str) -> Iterator[Any]:
    from entracte.event_source import read_stream

    return read_stream(
        lambda last: client._connection.streaming(f"/v1/runs/{run}/events", headers={}, silence_s=1),
        sleep=lambda seconds: None,
    )
