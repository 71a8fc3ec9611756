"""How much a caller or an address may send, and from which pages (runtime/doors/rates.py, api/app.py)."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from fastapi.testclient import TestClient

from entracte.api.app import create_app
from entracte.api.waiting import Patience
from entracte.errors import RateLimited
from entracte.runtime.doors.rates import ADDRESS_FACTOR, MAX_NAMES, Rates, Throttle, address_of
from entracte.testing.world import World
from tests.api.conformance import Conformance
from tests.api.conftest import owner_header
from tests.api.serving import served

SITE = "https://app.example"


class Time:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def wait_of(rates: Rates, name: str = "ada") -> int:
    """Seconds to wait for the next request; 0 when this one is taken."""
    try:
        rates.take(name)
    except RateLimited as error:
        return error.retry_after_s
    return 0


def test_a_caller_has_so_many_requests_and_then_one_now_and_then():
    """A bucket that is filled evenly; others have their own."""
    time = Time()
    rates = Rates(2, time)
    assert [wait_of(rates) for _ in "1234"] == [0, 0, 30, 30]
    time.now_s = 29.0
    assert (wait_of(rates), wait_of(rates, "bob")) == (1, 0)
    time.now_s = 30.0
    assert [wait_of(rates), wait_of(rates)] == [0, 30]


def test_a_caller_has_so_many_requests_under_way_and_what_has_ended_makes_room():
    """However it has ended; others have their own places."""
    throttle = Throttle(320)
    with ExitStack() as held:
        for _ in range(8):
            held.enter_context(throttle.admit("ada"))
        with pytest.raises(RateLimited, match="More than 8 requests at once"), throttle.admit("ada"):
            raise AssertionError("let in")
        with throttle.admit("bob"):
            pass
    with pytest.raises(KeyError), throttle.admit("ada"):
        raise KeyError
    with throttle.admit("ada"):
        assert throttle._under_way == {"ada": 1}
    assert not throttle._under_way


def test_no_more_names_are_kept_than_so_many():
    """Whoever makes up names fills no memory."""
    rates = Rates(1, Time())
    for number in range(MAX_NAMES + 5):
        rates.take(str(number))
    assert len(rates._left) == MAX_NAMES


def scope(sender: str, *forwarded: str) -> dict[str, object]:
    """A request as a server tells of it."""
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    return {"type": "http", "client": (sender, 1), "headers": headers}


@pytest.mark.parametrize(
    ("found", "proxied", "address"),
    [
        (scope("10.0.0.1"), False, "10.0.0.1"),
        (scope("10.0.0.1", "1.2.3.4"), False, "10.0.0.1"),
        (scope("10.0.0.1", "made, up, 1.2.3.4"), True, "1.2.3.4"),
        (scope("10.0.0.1", "made, up", "1.2.3.4"), True, "1.2.3.4"),
        (scope("10.0.0.1"), True, "10.0.0.1"),
        (scope("10.0.0.1", "2001:db8:1:2:3:4:5:6"), True, "2001:db8:1:2::/64"),
        (scope("2001:db8:1:2::1"), False, "2001:db8:1:2::/64"),
        (scope("::ffff:1.2.3.4"), False, "1.2.3.4"),
        (scope("testclient"), False, "testclient"),
        ({"type": "http", "client": None, "headers": []}, False, ""),
    ],
)
def test_an_address_is_what_our_own_front_end_saw(found: dict[str, object], proxied: bool, address: str):
    """What the caller writes before it counts for nothing; nor do the many addresses that IPv6 gives to each."""
    assert address_of(found, proxied=proxied) == address


def test_too_many_requests_are_answered_with_a_problem(world: World, conformance: Conformance):
    """Of one caller on any address, and from one address by any callers, signed in or not."""
    client = TestClient(create_app(world.process, identify=owner_header, throttle=Throttle(2)))
    client.event_hooks = {"response": [conformance.check]}
    answers = [client.get("/v1/runs", headers={"x-owner": owner}) for owner in ("ada", "ada", "ada", "bob")]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 200]
    refused = answers[2]
    assert (refused.json()["type"], refused.headers["retry-after"]) == ("urn:entracte:rate_limited", "30")
    assert refused.headers["x-content-type-options"] == "nosniff"
    statuses = [client.get("/health").status_code for _ in range(2 * ADDRESS_FACTOR)]
    assert statuses == [200] * 4 + [429] * 4


@pytest.mark.parametrize("path", ["/v1/runs/RUN/events", "/v1/runs/RUN?wait=60"])
def test_one_caller_does_not_hold_all_places(world: World, path: str):
    """Streams and waits are long, and an instance answers so many at once; what has ended makes room."""
    waiting, released = threading.Semaphore(0), threading.Event()

    async def sleep(seconds: float) -> None:
        waiting.release()
        while not released.is_set():
            await asyncio.sleep(0.005)

    app = create_app(world.process, identify=owner_header, throttle=Throttle(320), patience=Patience(sleep=sleep))
    with served(app) as url, ThreadPoolExecutor(8) as pool, httpx.Client(base_url=url, timeout=30) as client:
        run = client.post("/v1/runs", json={"message": "hi"}).json()["id"]
        path = path.replace("RUN", run)
        held = [pool.submit(httpx.get, url + path, timeout=30) for _ in range(8)]
        for _ in held:
            assert waiting.acquire(timeout=20)
        refused = client.get(path)
        others = client.get("/v1/runs", headers={"x-owner": "bob"})
        world.process.runs.cancel(run, owner="ada")
        released.set()
        answers = [answer.result().status_code for answer in held]
        assert (refused.status_code, refused.json()["detail"]) == (429, "More than 8 requests at once.")
        assert (others.status_code, answers) == (200, [200] * 8)
        assert [client.get(path).status_code for _ in range(9)] == [200] * 9


def preflight(client: TestClient, origin: str) -> dict[str, str]:
    """What a browser is told that asks for a page whether it may send a token."""
    wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    asked = {"Origin": origin, **wanted}
    answer = client.options("/v1/runs", headers=asked)
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-allow-")}


def test_pages_of_the_sites_named_may_call_and_no_others(world: World):
    """Without cookies, in any case."""
    client = TestClient(create_app(world.process, identify=owner_header, cors_origins=[SITE]))
    allowed = preflight(client, SITE)
    assert (allowed["access-control-allow-origin"], "Authorization" in allowed["access-control-allow-headers"]) == (
        SITE,
        True,
    )
    assert "access-control-allow-credentials" not in allowed
    for origin in ("https://evil.example", "https://app.example.evil.example", "null"):
        assert "access-control-allow-origin" not in preflight(client, origin)
    answers = [client.get("/v1/runs", headers={"Origin": origin}) for origin in (SITE, "https://evil.example")]
    assert [answer.headers.get("access-control-allow-origin") for answer in answers] == [SITE, None]


def test_by_default_no_page_of_another_site_may_call(world: World):
    """Not even asked nicely."""
    client = TestClient(create_app(world.process, identify=owner_header))
    assert preflight(client, SITE) == {}
