"""The gateway over HTTP (gateway/http.py, gateway/function.py)."""

import asyncio
import hashlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from mcp import Client as SdkClient
from mcp.client.streamable_http import streamable_http_client

from entracte.core.identity.identity import Identity
from entracte.core.runs.starting import RunRequest
from entracte.errors import (
    ConfigurationError,
    CorruptDocument,
    NotFound,
    ServerUnavailable,
    StoreUnavailable,
    Unauthenticated,
)
from entracte.gateway.faults import BUSY, FAULT
from entracte.gateway.function import door_of
from entracte.gateway.http import Door, client_of, session_of
from entracte.gateway.offer import Offer
from entracte.gateway.server import GatewayServer
from entracte.runtime.doors.callers import LoopbackUser, SignedIn
from entracte.runtime.doors.rates import ADDRESS_FACTOR, Throttle
from entracte.runtime.doors.signing_in import SignIn
from tests.api.serving import served
from tests.gateway.counter import Counter
from tests.gateway.sessions import session_over

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
READ = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "read", "arguments": {"id": 1}}}
KEY = "k" * 40


def door(counter, process=None, **options):
    """A gateway of the shop, in which everybody is Ada."""
    known = {
        "identify": lambda request: Identity("ada"),
        "throttle": Throttle(10**6),
        "command": lambda words: f"entracte {words} --url https://e",
    }
    return door_of(process or counter.world.process, **{**known, **options})


@pytest.fixture
def counter():
    """A shop that clients call at."""
    return Counter()


@pytest.fixture
def url(counter):
    """Address of its gateway."""
    with served(door(counter)) as address:
        yield address


def test_a_session_over_http_is_a_run(counter, url):
    """Of the network's own tools, when it has no servers; it ends when the client says so."""
    with session_over(streamable_http_client(url)) as session:
        assert [tool["name"] for tool in session.all_of("tools/list", "tools")] == [
            "read",
            "write",
            "add",
            "remove",
            "restore",
            "send",
        ]
        assert session.call("read", id=1)["structuredContent"] == {"plan": "Free", "note": "", "seen": 0}
        assert session.call("write", id=1, plan="Pro")["content"] == [{"type": "text", "text": "written"}]
        (run,) = counter.runs.items
        assert run.status == "running"
    assert [(run.status, run.output.value) for run in counter.runs.items] == [
        ("succeeded", "The client has left after 2 calls.")
    ]


def test_two_sessions_are_two_runs(counter, url):
    """Of one owner, at the same time."""
    with session_over(streamable_http_client(url)) as first, session_over(streamable_http_client(url)) as second:
        first.call("read", id=1)
        second.call("read", id=1)
        first.call("read", id=2)
    assert [len(counter.world.process.runs.actions(run)) for run in counter.runs.items] == [1, 2]


def test_another_instance_goes_on_with_the_session(counter):
    """Nothing of it is kept in the process."""
    at_first = door(counter)
    with served(at_first) as first, served(door(counter, counter.world.new_process())) as second:
        given = httpx.post(first, json=INITIALIZE, headers=HEADERS).headers["mcp-session-id"]
        headers = HEADERS | {"Mcp-Session-Id": given, "MCP-Protocol-Version": "2025-11-25"}
        for address in (first, second):
            call = {"name": "read", "arguments": {"id": 1}}
            body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
            assert httpx.post(address, json=body, headers=headers).status_code == 200
    (run,) = counter.runs.items
    assert len(counter.world.process.runs.actions(run)) == 2


def test_a_client_of_the_newest_protocol_needs_no_session(counter, url):
    """Its calls are those of its owner; silence ends the run."""

    async def use():
        async with SdkClient(url) as client:
            return await client.call_tool("read", {"id": 1}), client.protocol_version

    result, version = asyncio.run(use())
    assert (result.structured_content["plan"], version) == ("Free", "2026-07-28")
    (run,) = counter.runs.items
    counter.pass_time(minutes=31)
    assert counter.world.process.runs.get(run.id, owner="ada").status == "succeeded"


def test_a_session_is_its_owners(counter):
    """Whoever sends somebody else's session id has a session of that name of their own."""
    with served(door(counter, identify=lambda request: Identity(request.headers["x-owner"]))) as address:
        for owner in ("ada", "bob"):
            call = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "read", "arguments": {"id": 1}},
            }
            given = HEADERS | {"Mcp-Session-Id": "s", "MCP-Protocol-Version": "2025-11-25", "X-Owner": owner}
            assert httpx.post(address, json=call, headers=given).status_code == 200
    for owner in ("ada", "bob"):
        (run,) = counter.world.process.runs.list(owner=owner).items
        assert len(counter.world.process.runs.actions(run)) == 1


def test_calls_without_any_session_are_one_run_of_their_owner(counter, url):
    """Such as those of a script that only posts."""
    for _ in range(2):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read", "arguments": {"id": 1}}}
        assert httpx.post(url, json=call, headers=HEADERS).status_code == 200
    (run,) = counter.runs.items
    assert len(counter.world.process.runs.actions(run)) == 2


def test_a_held_call_is_approved_and_made(counter, url):
    """As on a desktop; the command goes to the deployment."""
    with session_over(streamable_http_client(url)) as session:
        held = session.call("send", to="ada")["content"][0]["text"]
        (gate,) = counter.world.process.gates.list(user="ada", status="waiting").items
        assert f"To approve: entracte approve {gate.id} --url https://e" in held
        counter.world.process.gates.decide(gate.id, "approve", user="ada", via="http")
        assert session.call("send", to="ada")["content"] == [{"type": "text", "text": "sent"}]


@pytest.fixture
def closed(counter):
    """Address of a gateway that takes one API key."""
    keys = f"ada@example.com sha256:{hashlib.sha256(KEY.encode()).hexdigest()}"
    signing_in = SignIn([], clock=counter.world.clock, read_keys=lambda: keys)
    with served(door(counter, identify=SignedIn(signing_in))) as address:
        yield address


@pytest.mark.parametrize("authorization", [None, "Bearer", "Bearer wrong", f"Bearer {KEY}x", f"Basic {KEY}"])
def test_a_wrong_token_opens_nothing(closed, authorization):
    """Keys are compared by their hashes, in constant time (core/identity/keys.py)."""
    headers = HEADERS | ({"Authorization": authorization} if authorization else {})
    refused = httpx.post(closed, json=INITIALIZE, headers=headers)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert KEY not in refused.text


def test_the_right_token_says_whose_calls_they_are(counter, closed):
    """The owner of the run is the holder of the key."""
    authorized = HEADERS | {"Authorization": f"Bearer {KEY}"}
    assert httpx.post(closed, json=INITIALIZE, headers=authorized).status_code == 200
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "read", "arguments": {"id": 1}}}
    httpx.post(closed, json=call, headers=authorized | {"MCP-Protocol-Version": "2025-11-25"})
    assert [run.owner for run in counter.world.process.runs.list(owner="ada@example.com").items] == ["ada@example.com"]


@pytest.mark.parametrize(
    ("method", "headers", "content", "status"),
    [
        ("POST", {}, b"{not json", 400),
        ("POST", {}, b"[]", 400),
        ("POST", {}, json.dumps(INITIALIZE | {"x": "x" * 4_200_000}).encode(), 413),
        ("POST", {"Accept": "text/html"}, b"{}", 406),
        ("POST", {"Mcp-Session-Id": "a b"}, b"{}", 400),
        ("POST", {"Mcp-Session-Id": "x" * 200}, b"{}", 400),
        ("GET", {}, b"", 405),
        ("PUT", {}, b"{}", 405),
        ("DELETE", {}, b"", 405),
        ("DELETE", {"Mcp-Session-Id": "never-seen"}, b"", 204),
    ],
)
def test_what_is_no_request_of_the_protocol_is_refused(url, method, headers, content, status):
    """Malformed, too large, of the wrong kind."""
    answer = httpx.request(method, url, headers=HEADERS | headers, content=content)
    assert answer.status_code == status


def test_an_unknown_method_is_told(url):
    """By JSON-RPC's code for it."""
    with session_over(streamable_http_client(url)) as session:
        assert session.request("no/such/method")["error"]["code"] == -32601


def test_who_cannot_be_told_is_answered_later(counter):
    """The reason of a refusal is not somebody else's secret."""

    def nobody(request):
        raise Unauthenticated("Send a token.")

    with served(door(counter, identify=nobody)) as address:
        refused = httpx.post(address, json=INITIALIZE, headers=HEADERS)
    assert refused.json()["error"]["message"] == "Send a token."


def test_nobody_can_be_first_in_the_session_of_anothers_client(counter, url):
    """Its name follows from the client's; whoever owned it would read what the client's tools keep in it."""
    request = RunRequest(input={"message": "hi"}, session=session_of("ada", ""))
    with pytest.raises(NotFound):
        counter.world.process.runs.start(request, owner="mallory")
    assert '"plan":"Free"' in httpx.post(url, json=READ, headers=HEADERS).text
    counter.world.process.runs.start(request, owner="ada")


def test_too_many_requests_are_answered_later(counter):
    """Of one caller from any address, and from one address by any callers, also by those who prove nothing."""

    def identify(request):
        if "x-owner" not in request.headers:
            raise Unauthenticated("Send a token.")
        return Identity(request.headers["x-owner"])

    with served(door(counter, identify=identify, throttle=Throttle(2))) as address:
        posted = [httpx.post(address, json=READ, headers=HEADERS | {"X-Owner": owner}) for owner in "aaab"]
        statuses = [httpx.post(address, json=READ, headers=HEADERS).status_code for _ in range(2 * ADDRESS_FACTOR)]
    assert [answer.status_code for answer in posted] == [200, 200, 429, 200]
    assert statuses == [401] * 4 + [429] * 4
    assert posted[2].headers["retry-after"] == "30"
    assert posted[2].json()["error"]["message"].startswith("More than 2 requests a minute.")
    assert [len(counter.world.process.runs.list(owner=owner).items) for owner in "ab"] == [1, 1]


@pytest.mark.parametrize("sent", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}])
def test_a_page_of_another_site_ends_no_session(counter, sent):
    """A browser lends it the way to this machine. Requests with a body need a consent that no site gets here."""
    ended = []
    at = door(counter, identify=LoopbackUser("ada"))
    at._leave = ended.append
    with served(at) as address:
        answer = httpx.delete(address, headers={"Mcp-Session-Id": "s", **sent})
        own = httpx.delete(address, headers={"Mcp-Session-Id": "s"})
    assert (answer.status_code, own.status_code, len(ended)) == (403, 204, 1)


class Broken(Offer):
    """An offer that fails as it is told to."""

    def __init__(self, error):
        super().__init__(None, (), {})
        self.error = error

    def request(self, method, params):
        raise self.error


INSIDE = "firestore.internal:443 refused project shop-prod"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (StoreUnavailable(INSIDE), BUSY),
        (ConfigurationError(INSIDE), FAULT),
        (CorruptDocument(INSIDE), FAULT),
        (KeyError(INSIDE), FAULT),
        (ServerUnavailable("MCP server crm did not answer."), "MCP server crm did not answer."),
    ],
)
def test_a_client_is_not_told_of_the_gateways_inside(counter, error, message, caplog):
    """Its log has it."""
    server = GatewayServer(Broken(error), None, client_of)
    at = Door(lambda: server, identify=lambda request: Identity("ada"), throttle=Throttle(9), leave=counter.calls.end)
    with served(at) as address:
        listed = httpx.post(address, json=READ | {"method": "tools/list", "params": {}}, headers=HEADERS).text
    assert message in listed and INSIDE not in listed
    assert (INSIDE in caplog.text) == (INSIDE in str(error))


def test_a_door_that_cannot_tell_who_asks_says_so_without_the_reason(counter, caplog):
    """Where the keys are is nobody's business."""

    def unknown(request):
        raise StoreUnavailable(INSIDE)

    with served(door(counter, identify=unknown)) as address:
        refused = httpx.post(address, json=READ, headers=HEADERS)
    assert (refused.status_code, refused.json()["error"]["message"], INSIDE in caplog.text) == (503, BUSY, True)


def test_who_comes_while_the_gateway_opens_waits_for_the_same(counter):
    """A server that does not answer costs its time once, and not once for each request in a row."""
    opened, come = [], threading.Semaphore(0)

    def open_server():
        opened.append(come.acquire(timeout=20))
        if len(opened) == 1:
            raise ServerUnavailable("MCP server crm did not answer.")
        return GatewayServer(Broken(NotFound("no")), None, client_of)

    def identify(request):
        arrived.release()
        return Identity("ada")

    arrived = threading.Semaphore(0)
    at = Door(open_server, identify=identify, throttle=Throttle(10**6), leave=counter.calls.end)
    with served(at) as address, ThreadPoolExecutor(3) as pool:
        first = [pool.submit(httpx.post, address, json=READ, headers=HEADERS, timeout=30) for _ in "123"]
        for _ in first:
            assert arrived.acquire(timeout=20)
        httpx.delete(address, headers={"Mcp-Session-Id": "s"})  # answered behind them: all three are at the door
        come.release()
        answers = [answer.result() for answer in first]
        assert [answer.status_code for answer in answers] == [503] * 3
        assert answers[0].json()["error"]["message"] == "MCP server crm did not answer."
        come.release()
        assert httpx.post(address, json=READ, headers=HEADERS).status_code == 200
    assert opened == [True, True]
