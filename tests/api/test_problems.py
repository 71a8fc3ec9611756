"""Requests that cannot be answered (api/problems.py, api/requests/json_body.py, api/requests/bodies.py)."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from entracte.api.requests.bodies import BudgetBody, RunBody
from entracte.api.requests.json_body import json_body
from entracte.core.budget import Limits
from entracte.errors import (
    Conflict,
    CorruptDocument,
    EntracteError,
    Forbidden,
    InvalidInput,
    NewerSchema,
    NotFound,
    StoreUnavailable,
    ToolError,
)

MEDIA_TYPE = "application/problem+json"


def post(api: TestClient, body: bytes | str, content_type: str | None = "application/json") -> dict[str, object]:
    """The problem that a body leads to."""
    headers = {"content-type": content_type} if content_type is not None else {}
    response = api.post("/v1/runs", content=body, headers=headers)
    assert response.headers["content-type"] == MEDIA_TYPE
    assert response.status_code == response.json()["status"]
    return response.json()


def test_a_problem_says_all_there_is_to_say(api: TestClient):
    """In the same seven members every time."""
    response = api.post("/v1/runs", json={"message": "hi", "agent": "nope"}, headers={"X-Request-Id": "r-1"})
    assert response.json() == {
        "type": "urn:entracte:unknown_agent",
        "title": "Unknown agent",
        "status": 422,
        "detail": "There is no agent 'nope'.",
        "pointer": "/agent",
        "remedy": "Agents: echo, weather.",
        "request_id": "r-1",
    }


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ("{}", "", 'either "message" or "input"'),
        ('{"message": "hi", "input": {}}', "", 'either "message" or "input"'),
        ("[]", "", "An object is expected"),
        ("null", "", "An object is expected"),
        ('{"message": ""}', "/message", "is shorter than 1 character"),
        ('{"message": 7}', "/message", "string"),
        ('{"input": {"message": ""}}', "/input/message", "is shorter than 1 character"),
        ('{"input": {}}', "/input", "required"),
        ('{"input": null}', "/input", 'not of type "object"'),
        ('{"message": "hi", "agent": 7}', "/agent", "string"),
        ('{"message": "hi", "session": "a/b"}', "/session", "pattern"),
        ('{"message": "hi", "session": "ok\\n"}', "/session", "pattern"),
        ('{"message": "hi", "models": {"main": "gpt"}}', "/models/main", "does not allow 'gpt'"),
        ('{"message": "hi", "models": {"chief": "echo/main"}}', "/models/chief", "'chief'"),
        ('{"message": "hi", "budget": {"tokens": "100"}}', "/budget/tokens", "integer"),
        ('{"message": "hi", "budget": {"tokens": -1}}', "/budget/tokens", "greater"),
        ('{"message": "hi", "budget": {"depth": 21}}', "/budget/depth", "less"),
        ('{"message": "hi", "time_zone": "Mars"}', "/time_zone", "no time zone 'Mars'"),
        ('{"message": "hi", "time_zone": "America"}', "/time_zone", "no time zone"),
        ('{"message": "hi", "time_zone": "../../etc/passwd"}', "/time_zone", "no time zone"),
        ('{"message": "hi", "metadata": {"a b": "x"}}', "/metadata/a b", "pattern"),
        ('{"message": "hi", "metadata": {"a": 1}}', "/metadata/a", "string"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_at_the_place_where_it_does_not(
    api: TestClient, body: str, pointer: str, detail: str
):
    """Nothing is guessed, converted or left out."""
    problem = post(api, body)
    assert (problem["status"], problem["pointer"]) == (422, pointer)
    assert detail in str(problem["detail"])


@pytest.mark.parametrize(
    ("body", "pointer", "known"),
    [
        ('{"mesage": "hi"}', "/mesage", "message, input, agent"),
        ('{"message": "hi", "callback_url": "https://x"}', "/callback_url", "message, input, agent"),
        ('{"message": "hi", "rout": "auto"}', "/rout", "message, input, agent"),
        ('{"message": "hi", "budget": {"token": 1}}', "/budget/token", "actions, writes, tokens"),
        ('{"message": "hi", "~a/b": 1}', "/~0a~1b", "message, input, agent"),
    ],
)
def test_an_unknown_field_is_refused_and_the_known_ones_are_named(api: TestClient, body: str, pointer: str, known: str):
    """Also those that are planned: what is not done must not be promised."""
    problem = post(api, body)
    assert (problem["status"], problem["pointer"]) == (422, pointer)
    assert known in str(problem["remedy"])


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "line 1, column 1"),
        (b'{"message":\n  "hi",}', "line 2, column 8"),
        (b'{"message": "hi"} {}', "line 1, column 19"),
        (b'{"message": NaN}', "NaN"),
        (b'{"message": -Infinity}', "-Infinity"),
        (b'{"message": "\xff"}', "byte 14"),
        (b'{"message": "hi", "budget": {"tokens": ' + b"9" * 5000 + b"}}", "digits"),
        (b'{"message": "hi", "metadata": {"a": "\\ud800"}}', "U+D800, which is no character, at /metadata/a"),
        (b"[" * 100_000, "inside each other"),
        (b'{"input": ' + b"[" * 200 + b"]" * 200 + b"}", "more than 100 levels"),
    ],
)
def test_a_body_that_is_no_json_is_refused(api: TestClient, body: bytes, detail: str):
    """With the place, and as JSON is defined, not as Python reads it."""
    problem = post(api, body)
    assert problem["status"] == 422
    assert detail in str(problem["detail"])


def test_a_byte_order_mark_is_no_fault(api: TestClient):
    """Some editors and shells write one."""
    response = api.post(
        "/v1/runs", content=b'\xef\xbb\xbf{"message": "hi"}', headers={"content-type": "application/json"}
    )
    assert response.status_code == 202


@pytest.mark.parametrize("content_type", [None, "", "text/plain", "application/x-www-form-urlencoded", "x", "json"])
def test_what_is_not_sent_as_json_is_not_read(api: TestClient, content_type: str | None):
    """Pages of other sites can send such bodies without asking."""
    problem = post(api, '{"message": "hi"}', content_type)
    assert (problem["status"], problem["type"]) == (415, "urn:entracte:unsupported_media_type")


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON", "application/x+json"])
def test_json_has_several_names(api: TestClient, content_type: str):
    """With parameters, in capitals, or as the base of another format."""
    response = api.post("/v1/runs", content='{"message": "hi"}', headers={"content-type": content_type})
    assert response.status_code == 202


def test_a_body_of_a_mebibyte_is_taken(api: TestClient):
    """The limit itself is allowed."""
    response = api.post(
        "/v1/runs",
        content=b'{"message": "' + b"x" * (1024 * 1024 - 15) + b'"}',
        headers={"content-type": "application/json"},
    )
    assert response.status_code == 202


@pytest.mark.parametrize("size", [1024 * 1024 + 1, 2_000_000])
def test_a_larger_body_is_refused(api: TestClient, size: int):
    """By what arrives, not by what the header says."""
    problem = post(api, b'{"message": "' + b"x" * (size - 15) + b'"}')
    assert (problem["status"], problem["type"]) == (413, "urn:entracte:too_large")


def test_a_body_in_chunks_is_refused_as_soon_as_it_has_become_too_large():
    """Without a Content-Length; the rest is not read, however much it is."""
    received = []

    async def receive() -> dict[str, object]:
        received.append(len(received))
        return {"type": "http.request", "body": b"x" * 100_000, "more_body": True}

    request = Request({"type": "http", "headers": [(b"content-type", b"application/json")]}, receive)
    with pytest.raises(InvalidInput, match="larger than 1,048,576 bytes") as refused:
        asyncio.run(json_body(RunBody)(request))
    assert (refused.value.code, len(received)) == ("too_large", 11)


@pytest.mark.parametrize("path", ["/nope", "/v1", "/v2/runs", "/v1/runs/", "/v1/runs/x/thoughts", "/v1/gates/"])
def test_where_nothing_is_a_problem_says_so(api: TestClient, path: str):
    """As JSON, like all errors."""
    response = api.get(path)
    assert (response.status_code, response.headers["content-type"]) == (404, MEDIA_TYPE)
    assert response.json()["type"] == "urn:entracte:route_not_found"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/runs", "GET, POST"),
        ("DELETE", "/v1/runs/x", "GET"),
        ("GET", "/v1/runs/x/cancel", "POST"),
        ("POST", "/v1/sessions/x/state", "GET, PATCH, DELETE"),
    ],
)
def test_what_is_not_possible_says_what_is(api: TestClient, method: str, path: str, allow: str):
    """All methods of the path, not only those of one route."""
    response = api.request(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, allow)
    assert response.json()["type"] == "urn:entracte:method_not_allowed"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InvalidInput("no"), 422, "invalid_input"),
        (NotFound("no"), 404, "not_found"),
        (Conflict("no"), 409, "conflict"),
        (Forbidden("no"), 403, "forbidden"),
        (StoreUnavailable("10.0.0.7 is down"), 503, "store_unavailable"),
        (CorruptDocument("runs/r of somebody: x"), 500, "corrupt_document"),
        (NewerSchema("runs/r of somebody: 2"), 500, "newer_schema"),
        (ToolError("password is hunter2"), 500, "internal"),
        (RuntimeError("password is hunter2"), 500, "internal"),
    ],
)
def test_every_error_has_its_status(app: FastAPI, error: Exception, status: int, code: str):
    """Faults of ours and of the cloud are told without their inside; the log has it."""

    def fail(request: object) -> str:
        raise error

    app.state.identify = fail
    response = TestClient(app).get("/v1/runs")
    assert (response.status_code, response.json()["type"]) == (status, f"urn:entracte:{code}")
    assert response.headers["content-type"] == MEDIA_TYPE
    assert ("retry-after" in response.headers) == (status == 503)
    shown = isinstance(error, EntracteError) and status < 500
    assert (str(error) in response.text) == shown


def test_a_callers_budget_has_the_fields_of_the_limits():
    """One that is added to the limits has to be added here."""
    assert list(BudgetBody.model_fields) == list(Limits.__struct_fields__)


@pytest.mark.parametrize(
    ("method", "path", "remedy"),
    [
        ("POST", "/v1/runs?wiat=9", "Parameters: wait."),
        ("GET", "/v1/runs?metadat.a=b", "Parameters: agent, cursor, limit, metadata.NAME, owner, session, status."),
        ("GET", "/v1/gates?stauts=open", "Parameters: cursor, limit, owner, run, status, to_decide."),
        ("GET", "/v1/network?x", "This route has none."),
    ],
)
def test_a_query_parameter_that_there_is_not_is_refused(api: TestClient, method: str, path: str, remedy: str):
    """It is named, and those that there are."""
    response = api.request(method, path, json={"message": "Hello."} if method == "POST" else None)
    problem = response.json()
    name = path.partition("?")[2].partition("=")[0]
    assert response.headers["content-type"] == "application/problem+json"
    assert (response.status_code, problem["detail"], problem["remedy"]) == (
        422, f"There is no query parameter {name!r} here.", remedy,
    )  # fmt: skip


def test_what_probes_and_mail_programs_add_to_an_address_does_no_harm(api: TestClient):
    """They are not ours to correct."""
    assert api.get("/healthz?utm_source=mail").status_code == 200


@pytest.mark.parametrize("body", [{"message": " \n "}, {"input": {"message": " "}}])
def test_a_message_of_white_space_is_empty(api: TestClient, body: dict[str, object]):
    """No model is asked what it means."""
    response = api.post("/v1/runs", json=body)
    place = "/message" if "message" in body else "/input/message"
    assert (response.status_code, response.json()["detail"], response.json()["pointer"]) == (
        422, "The message is empty.", place,
    )  # fmt: skip


def test_an_undo_without_a_body_is_told_what_to_send(api: TestClient):
    """Nothing was sent, and nothing is quoted."""
    problem = api.post("/v1/runs/x/undo").json()
    assert (problem["status"], problem["detail"]) == (415, "The request has no Content-Type.")
    assert problem["remedy"] == "Send JSON with Content-Type: application/json; {} where there is nothing to say."
