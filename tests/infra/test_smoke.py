"""The first try on a real project (infra/smoke.py), against a server that answers as Cloud Run and the API do."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from smoke import Place, a_run, closed_doors

PLACE = Place(url="https://api", token="user", iam_token="iam", phases={"plan": "https://plan"})


def answering(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.Client:
    """A client whose requests are answered here."""
    return httpx.Client(transport=httpx.MockTransport(answer))


def as_it_should_be(request: httpx.Request) -> httpx.Response:
    """A deployment in the mode iam."""
    if request.url.host == "plan":
        return httpx.Response(404, text="Page not found")
    if "X-Serverless-Authorization" in request.headers:
        statuses = {"POST": "queued", "GET": "succeeded"}
        return httpx.Response(
            201 if request.method == "POST" else 200, json={"id": "r", "status": statuses[request.method]}
        )
    if request.headers.get("Authorization") == "Bearer iam":
        return httpx.Response(401, json={"code": "token_stripped"})
    return httpx.Response(403, text="Forbidden")


def test_a_deployment_that_is_closed_is_found_to_be_so():
    """From outside, without a token, and with the wrong one."""
    with answering(as_it_should_be) as http:
        found = list(closed_doors(http, PLACE))
    assert [(finding.name, finding.as_expected) for finding in found] == [
        ("the API without a token", True),
        ("a token for Cloud Run in the header of the API's", True),
        ("plan from outside", True),
    ]


def test_a_phase_that_answers_from_outside_is_found():
    """Whatever it answers."""
    with answering(lambda request: httpx.Response(204)) as http:
        found = {finding.name: finding.as_expected for finding in closed_doors(http, PLACE)}
    assert found == dict.fromkeys(found, False)


@pytest.mark.parametrize(("status", "fits"), [("succeeded", True), ("waiting", True), ("failed", False)])
def test_a_run_is_followed_to_its_end(status: str, fits: bool):
    """What became of it is what is found."""
    left = ["queued", "running", status]

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.method == "GET" or json.loads(request.content) == {"message": "Who is Ada?"}
        return httpx.Response(200, json={"id": "r", "status": left.pop(0), "error": ""})

    with answering(answer) as http:
        found, took = a_run(http, PLACE, "Who is Ada?", lambda: None)
    assert (found.as_expected, found.found, took.as_expected) == (fits, status, None)


def test_a_run_that_is_refused_says_why():
    """Nothing is waited for."""
    with answering(lambda request: httpx.Response(403, json={"code": "not_a_user"})) as http:
        (found,) = a_run(http, PLACE, "Who is Ada?", lambda: None)
    assert found.as_expected is False and "not_a_user" in found.found
