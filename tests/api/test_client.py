"""The client, over a real server on loopback (client.py)."""

from __future__ import annotations

import inspect
import socket
import threading
from collections.abc import Iterator

import pytest
import stamina
from fastapi import FastAPI, Request

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents import Network
from entracte.api.app import create_app
from entracte.client import Client
from entracte.connection import ATTEMPTS
from entracte.core.identity.identity import Identity
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta
from entracte.errors import (
    ConfigurationError,
    Conflict,
    EntracteError,
    Forbidden,
    InvalidInput,
    NotFound,
    RetryableError,
    StoreUnavailable,
    TerminalError,
    Unauthenticated,
)
from entracte.runtime.compose import compose
from entracte.runtime.local.local_bus import LocalBus
from tests.api.conftest import owner_header
from tests.api.echo import EchoModel, echo_network
from tests.api.flaky_server import FlakyServer, flaky_server
from tests.api.serving import served


class HeldModel(EchoModel):
    """Answers when it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.let.set()

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        assert self.let.wait(10)
        return super().generate(request, deadline_s=deadline_s)


@pytest.fixture
def model() -> HeldModel:
    """Answers at once, unless the test holds it."""
    return HeldModel()


@pytest.fixture
def app(model: HeldModel) -> Iterator[FastAPI]:
    """The API over a network that works in the background."""
    bus = LocalBus(threads=2)
    runtime = compose(
        echo_network(),
        store=MemoryStore(),
        bus=bus,
        clock=SystemClock(),
        secrets_port=EnvironmentSecrets({}),
        worker="test",
        open_model=lambda name: model,
    )
    bus.attach(runtime.engine.handle, lambda message, error: None)
    yield create_app(runtime, identify=owner_header)
    model.let.set()
    runtime.close()


@pytest.fixture
def client(app: FastAPI) -> Iterator[Client]:
    """A client of that API."""
    with served(app) as url, Client(url) as client:
        yield client


def test_a_run_goes_there_and_back(client: Client):
    """Asked, waited for and read, as with a network in this process."""
    run = client.run("hello", session="s", metadata={"ticket": "T-7"}).raise_for_status()
    assert (run.status, run.stop_reason, run.output, run.text) == ("succeeded", "answered", "You said hello", run.text)
    assert (run.session, run.usage["tokens"], run.gates, run.error) == ("s", 7, [], "")
    assert client.load_state("s", {"facts": "one"}) == {"facts": [{"id": "F_001", "text": "one"}]}
    assert run.state == client.get_state("s") == {"facts": [{"id": "F_001", "text": "one"}]}
    client.reset_state("s")
    assert client.get_state("s") == {"facts": []}


def test_values_other_than_text_go_through(client: Client):
    """For agents with an input schema of their own."""
    assert client.chat({"city": "京都"}, agent="weather").data["input"] == {"city": "京都"}


def test_a_run_that_was_started_is_read_listed_and_recounted(client: Client):
    """By its id, its labels and its moves."""
    started = client.start("hello", metadata={"ticket": "T-7"})
    ended = client.wait(started.id)
    client.run("other")
    assert client.get(started.id).data == ended.data
    assert [run.id for run in client.list(filters={"metadata.ticket": "T-7"}).runs] == [started.id]
    assert [entry["phase"] for entry in client.journal(started.id)] == ["start", "plan"]


def test_lists_are_read_page_by_page(client: Client):
    """Newest first; the last page says that it is."""
    ids = [client.run(f"run {number}").id for number in range(3)]
    first = client.list(limit=2)
    second = client.list(limit=2, cursor=first.next_cursor)
    assert {run.id for run in (*first.runs, *second.runs)} == set(ids)
    assert (len(second.runs), second.next_cursor) == (1, None)


def test_waiting_ends_after_its_time(client: Client, model: HeldModel):
    """The run goes on, and can be waited for again."""
    model.let.clear()
    run = client.start("hello")
    assert client.wait(run.id, timeout_s=0.05).status in ("queued", "running")
    assert client.wait(run.id, timeout_s=0).status in ("queued", "running")
    model.let.set()
    assert client.wait(run.id).status == "succeeded"


def test_a_run_is_cancelled_once(client: Client, model: HeldModel):
    """The second time is a conflict, which says what the run is."""
    model.let.clear()
    run = client.start("hello")
    assert client.cancel(run.id).status == "cancelled"
    with pytest.raises(Conflict, match="is cancelled already") as conflict:
        client.cancel(run.id)
    assert (conflict.value.code, conflict.value.remedy) == ("run_closed", "Nothing needs to be cancelled.")


def test_a_key_starts_one_run(client: Client):
    """However often it is sent, and no other one."""
    assert client.start("hi", idempotency_key="k").id == client.start("hi", idempotency_key="k").id
    with pytest.raises(InvalidInput) as reused:
        client.start("bye", idempotency_key="k")
    assert reused.value.code == "idempotency_key_reused"


def test_problems_become_the_errors_that_they_were(client: Client):
    """With code, pointer and remedy."""
    with pytest.raises(InvalidInput) as invalid:
        client.start("hi", agent="nope")
    assert (invalid.value.code, invalid.value.pointer, invalid.value.remedy) == (
        "unknown_agent",
        "/agent",
        "Agents: echo, weather.",
    )
    for unknown in ("nope", "../../healthz", "?x=1", "a b"):
        with pytest.raises(NotFound) as missing:
            client.get(unknown)
        assert missing.value.code in ("run_not_found", "route_not_found")
    with pytest.raises(InvalidInput, match="larger than"):
        client.start("x" * 2_000_000)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [(StoreUnavailable("down"), StoreUnavailable), (Forbidden("no"), Forbidden), (RuntimeError("bug"), TerminalError)],
)
def test_errors_of_the_server_keep_their_kind(
    app: FastAPI, client: Client, raised: Exception, expected: type[EntracteError]
):
    """So that callers know whether to try again."""

    def fail(request: object) -> str:
        raise raised

    app.state.identify = fail
    with pytest.raises(expected):
        client.get("r")


def test_a_token_is_sent_and_asked_for_again(app: FastAPI, client: Client):
    """Tokens of Google Cloud last an hour, and clients longer."""
    seen = []
    app.state.identify = lambda request: seen.append(request.headers.get("authorization")) or Identity("ada")
    tokens = iter("abc")
    url = str(client._connection._http.base_url)
    with Client(url, token=lambda: next(tokens)) as asking, Client(url, token="fixed") as fixed:
        asking.list()
        asking.list()
        fixed.list()
        client.list()
    assert seen == ["Bearer a", "Bearer b", "Bearer fixed", None]


@pytest.mark.parametrize(
    "name",
    [
        *("run", "chat", "stream", "events", "start", "wait", "undo", "resume", "retry", "fork"),
        *("get_state", "load_state", "reset_state", "artifacts", "close"),
    ],
)
def test_a_client_can_do_what_a_network_can(name: str):
    """With the same parameters, and perhaps more."""
    own, network = (inspect.signature(getattr(kind, name)).parameters for kind in (Client, Network))
    assert {p: own[p].kind for p in network if p in own} == {p: network[p].kind for p in network}


@pytest.fixture
def flaky() -> Iterator[FlakyServer]:
    """A server that hangs up as often as it is told, and no pauses between attempts."""
    with flaky_server() as server, stamina.set_testing(True, attempts=100, cap=True):
        yield server


def test_a_lost_start_is_sent_again_with_the_same_key(flaky: FlakyServer):
    """It may have been started the first time."""
    flaky.failures = 2
    with Client(flaky.url) as client:
        client.start("hello")
    assert len(flaky.seen) == 3
    assert len(set(flaky.seen)) == 1
    assert flaky.seen[0][1]


def test_two_starts_have_two_keys(flaky: FlakyServer):
    """Or the second would find the first."""
    with Client(flaky.url) as client:
        client.start("hello")
        client.start("hello")
    assert len({key for _, key, _ in flaky.seen}) == 2


def test_reading_is_tried_again_only_so_often(flaky: FlakyServer):
    """Then the caller is told, as of something that may work later."""
    flaky.failures = 100
    with Client(flaky.url) as client, pytest.raises(RetryableError) as unreachable:
        client.get("r")
    assert (unreachable.value.code, len(flaky.seen)) == ("unreachable", ATTEMPTS)


def test_what_changes_something_without_a_key_is_sent_once(flaky: FlakyServer):
    """Nobody can say what became of it."""
    flaky.failures = 100
    with Client(flaky.url) as client:
        for change in (
            lambda: client.cancel("r"),
            lambda: client.load_state("s", {}),
            lambda: client.reset_state("s"),
        ):
            with pytest.raises(RetryableError):
                change()
    assert [method for method, _, _ in flaky.seen] == ["POST", "PATCH", "DELETE"]


@pytest.mark.usefixtures("flaky")
def test_where_nobody_listens_is_said():
    """With the address."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = "http://{}:{}".format(*unused.getsockname())
    with Client(url) as client, pytest.raises(RetryableError, match=url):
        client.start("hello")


@pytest.mark.parametrize(
    ("status", "content_type", "body", "expected"),
    [
        (404, "text/html", "<h1>Not Found</h1>", NotFound),
        (403, "text/html", "<h1>Forbidden</h1>", Forbidden),
        (502, "text/html", "<h1>Bad Gateway</h1>", RetryableError),
        (200, "text/html", "<h1>Sign in</h1>", TerminalError),
        (302, "text/html", "", TerminalError),
        (404, "application/problem+json", '{"type": "about:blank", "status": 404}', NotFound),
        (500, "application/json", "[]", TerminalError),
    ],
)
def test_answers_of_others_are_told_from_entractes(
    flaky: FlakyServer, status: int, content_type: str, body: str, expected: type[EntracteError]
):
    """Of load balancers, sign-in pages and other services."""
    flaky.status, flaky.content_type, flaky.body = status, content_type, body
    with Client(flaky.url) as client, pytest.raises(expected, match="not by Entracte") as answer:
        client.get("r")
    assert answer.value.code == "bad_answer"


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://x"])
def test_an_address_has_a_scheme(url: str):
    """A slip is found before anything is sent."""
    with pytest.raises(ConfigurationError, match="expected http"):
        Client(url)


def test_a_run_is_forked_over_the_api(client: Client):
    """And read, waited for and taken back like any other."""
    run = client.run("hello")
    forked = client.wait(client.fork(run.id, at=1, state={"facts": "one"}).id)
    assert (forked.text, forked.data["forked_from"]) == ("You said hello", {"run": run.id, "step": 1})
    for again in (client.retry, client.resume):
        with pytest.raises(Conflict):
            again(run.id)


def test_two_tokens_go_two_ways(app: FastAPI, client: Client):
    """One for Cloud Run, which then leaves the user's alone."""
    seen: list[tuple[str | None, str | None]] = []

    def identify(request: Request) -> Identity:
        seen.append((request.headers.get("authorization"), request.headers.get("x-serverless-authorization")))
        return Identity("ada")

    app.state.identify = identify
    with Client(str(client._connection._http.base_url), token="mine", iam_token=lambda: "cloud-run's") as both:
        both.list()
    assert seen == [("Bearer mine", "Bearer cloud-run's")]


def test_whoever_sends_no_token_is_told_where_to_give_one(app: FastAPI, client: Client):
    """In the words of a client, not of HTTP."""

    def identify(request: Request) -> Identity:
        raise Unauthenticated("The request says nothing of who sends it.", remedy="Send Authorization.")

    app.state.identify = identify
    with pytest.raises(Unauthenticated, match="--token or in ENTRACTE_TOKEN"):
        client.list()


@pytest.mark.parametrize("tokens", [{"token": "t"}, {"iam_token": lambda: "t"}])
def test_a_token_is_sent_over_no_open_line(tokens: dict[str, object]):
    """But to this machine."""
    with pytest.raises(ConfigurationError, match=r"sent to api\.example for all to read"):
        Client("http://api.example", **tokens)
    for url in ("https://api.example", "http://127.0.0.1:1", "http://localhost:1"):
        Client(url, **tokens).close()
    Client("http://api.example").close()


def test_a_token_that_no_header_can_have_is_not_shown(client: Client):
    """What files and shells add is taken off; of anything else the HTTP library's own error would show all of it."""
    url = str(client._connection._http.base_url)
    with Client(url, token="mine\n") as trailing, Client(url, token="mi\nne") as broken:
        trailing.list()
        with pytest.raises(ConfigurationError) as refused:
            broken.list()
    assert str(refused.value) == "The token holds characters that no HTTP header can have."


def test_artifacts_of_a_session_are_worked_with(client: Client):
    """As on the command line and in the tools of agents."""
    client.run("hello", session="s")
    desk = client.artifacts("s")
    made = desk.create(title="Plan / A", content="One.\n", tags=["x"], shared=True)
    assert desk.get("Plan / A") == desk.get(made["id"]) == made
    changed = desk.change(made["id"], content="Two.\n", version=made["version"])
    with pytest.raises(Conflict, match="has changed"):
        desk.change(made["id"], content="Three.\n", version=made["version"])
    assert [item["title"] for item in desk.list(tag="x")] == ["Plan / A"]
    assert (desk.delete("Plan"), desk.list()) == (changed, ())
    with pytest.raises(NotFound):
        desk.get("no/where")
